FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && node scripts/build.ts
# Without what only development needs, and with pg-boss, which wakes workers of a cluster ("detent db migrate" makes its tables): npm
# installs nothing that its project names as an optional peer.
RUN version=$(node -p "require('./package.json').peerDependencies['pg-boss']") \
  && npm pkg delete devDependencies peerDependencies peerDependenciesMeta \
  && npm install --no-save --ignore-scripts "pg-boss@$version"

FROM node:24-bookworm-slim
COPY --from=build /src/package.json /src/LICENSE /opt/detent/
COPY --from=build /src/dist /opt/detent/dist
COPY --from=build /src/skills /opt/detent/skills
COPY --from=build /src/node_modules /opt/detent/node_modules
RUN ln -s /opt/detent/dist/src/cli/main.js /usr/local/bin/detent && chmod +x /opt/detent/dist/src/cli/main.js \
  && mkdir /work /home/node/.detent && chown node:node /work /home/node/.detent
ENV NODE_ENV=production DETENT_HOME=/home/node/.detent
# The workspace, and the settings and indexes of its user: nothing else is written, but for /tmp.
VOLUME ["/work", "/home/node/.detent"]
WORKDIR /work
USER node
EXPOSE 7420
HEALTHCHECK --interval=10s --timeout=10s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/detent/dist/src/cli/main.js"]
CMD ["serve", "--role", "worker", "--host", "0.0.0.0"]

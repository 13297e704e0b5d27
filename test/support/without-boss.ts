/** A flag that has Node find no pg-boss. */
export const withoutBoss = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (!name.startsWith('pg-boss')) return next(name, context);
      throw Object.assign(new Error('there is no package pg-boss'), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`)}`;

const runFlags = `
  Conversation
    --session K             carry on the conversation K; without it a new one
    --mode MODE             when K is busy: queue (default), steer its run, or interrupt that
    --system TEXT|@FILE     the system prompt
  Model
    --model PROVIDER/MODEL  else DETENT_MODEL, else the configuration, else the first key found, else demo/demo
    --base-url URL          any server that speaks OpenAI chat completions; PROVIDER may then be any word
    --api chat              the protocol: chat completions is the only one yet
    --api-key-env NAME      the variable that holds the key
  Tools
    --tools a,b             use only these
    --approve MODE          calls that need a person: ask (default), all or none of them are allowed`;

const limits = `
  Limits
    --max-steps N           answers of the model          --max-tokens N   tokens in and out
    --max-retries N         repeats of a failed call      --timeout 5m     working time`;

const output = `
  Output
    --json                  one object with all there is to know, at the end
    --jsonl                 the events of the run, one object a line
    --quiet                 no progress on stderr`;

const place = `
  Place
    --workspace DIR         where files, configuration and database are (default: here)
    --db FILE               the database (default: DIR/.detent/detent.db)`;

const overview = `Detent runs LLM agents as durable statecharts: kill it at any instant, carry on later.

  detent run "PROMPT"            run an agent; "-" reads the prompt from stdin
  detent chat                    a conversation on the terminal
  detent runs list               the runs of this workspace
  detent runs show RUN           what happened in one, and what it waits for
  detent runs confirm RUN CALL   decide on a call: --approve, --reject or --modify JSON
  detent runs reconcile RUN CALL say what became of an interrupted call: --ran, --retry or --skip
  detent runs resume RUN         carry on what was interrupted or decided (--all: everything)
  detent machine show            the statechart of a run
  detent COMMAND --help          all flags of a command

Without a key or --model, the built-in demo answers. Keys come from the environment (OPENAI_API_KEY, …).
Exit codes: 0 completed, 1 failed, 2 usage, 3 configuration or key, 4 not found, 5 waiting for a person,
6 database locked or unusable, 124 deadline, 130 cancelled.
`;

const run = `detent run "PROMPT" | -

  Runs an agent on the prompt. Its words go to stdout as they come, progress to stderr.
${runFlags}
${limits}
${output}
${place}

  detent run "What is 17 * 23?"
  detent run --model ollama/qwen3 --tools list_files,read_file "What is in this folder?"
  git diff | detent run --system "You review code." --json - | jq -r .text
`;

const chat = `detent chat

  A conversation on the terminal. Ctrl-C stops the answer, Ctrl-D leaves. Without a terminal, each line of stdin
  is a message.
${runFlags}
${limits}
${place}
`;

const runs = `detent runs list      [--session K] [--limit N] [--json]
detent runs show RUN  [--json]
detent runs confirm RUN CALL     --approve | --reject [--reason TEXT] | --modify JSON   [--hash H] [--json]
detent runs reconcile RUN CALL   --ran [--result TEXT] | --retry | --skip   [--json]
detent runs resume RUN | --all   [--json | --jsonl] [--quiet]

  RUN and CALL are ids as "list" and "show" print them (run_…, c2). Of two decisions on one call the first counts.
  --hash refuses the decision when the arguments are not those that "show" printed.
  "confirm" and "reconcile" only write the decision down; "resume" carries the run on.
${place}
`;

const machine = `detent machine show [--format mermaid|json|dot]

  Draws the statechart that every run goes by.
`;

const pages: Readonly<Record<string, string>> = { run, chat, runs, machine };

/** The help of one command, or of all. */
export function help(command?: string): string {
  return (command !== undefined && Object.hasOwn(pages, command) && pages[command]) || overview;
}

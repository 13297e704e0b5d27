// Written by scripts/write-parameters.ts from the tools themselves; a test fails while it is out of date.
import type { JsonObject } from '../protocol/json.ts';

/** The parameters of each tool that comes with Detent, by its name. */
export const printedParameters: Readonly<Record<string, JsonObject>> = {
  "read_file": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "File to read, relative to the workspace"
      },
      "offset": {
        "description": "First line to return; 1 is the first line of the file",
        "type": "integer",
        "minimum": 1,
        "maximum": 9007199254740991
      },
      "limit": {
        "description": "Number of lines to return; default 2000",
        "type": "integer",
        "minimum": 1,
        "maximum": 9007199254740991
      }
    },
    "required": [
      "path"
    ],
    "additionalProperties": false
  },
  "write_file": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "File to write, relative to the workspace"
      },
      "content": {
        "type": "string",
        "description": "The complete new content of the file"
      }
    },
    "required": [
      "path",
      "content"
    ],
    "additionalProperties": false
  },
  "edit_file": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "File to edit, relative to the workspace"
      },
      "old_text": {
        "type": "string",
        "minLength": 1,
        "description": "The exact text to replace, with its white space and line ends"
      },
      "new_text": {
        "type": "string",
        "description": "What to put in its place; taken literally"
      },
      "replace_all": {
        "description": "Replace every occurrence; default false",
        "type": "boolean"
      }
    },
    "required": [
      "path",
      "old_text",
      "new_text"
    ],
    "additionalProperties": false
  },
  "list_files": {
    "type": "object",
    "properties": {
      "path": {
        "description": "Folder to list, relative to the workspace; default all of it",
        "type": "string"
      },
      "glob": {
        "description": "Only what matches, from path on: *.ts anywhere below, src/**/*.{ts,tsx}, docs/*.md",
        "type": "string",
        "minLength": 1,
        "maxLength": 1000
      },
      "depth": {
        "description": "Levels of folders to open; default 1, the folder itself, and with glob 20",
        "type": "integer",
        "minimum": 1,
        "maximum": 20
      },
      "limit": {
        "description": "Most entries to list; default 500",
        "type": "integer",
        "minimum": 1,
        "maximum": 5000
      },
      "ignored": {
        "description": "List what .gitignore leaves out, too; default false",
        "type": "boolean"
      }
    },
    "additionalProperties": false
  },
  "grep": {
    "type": "object",
    "properties": {
      "pattern": {
        "type": "string",
        "minLength": 1,
        "maxLength": 1000,
        "description": "Regular expression (RE2), tried on each line"
      },
      "literal": {
        "description": "Take pattern as plain text; default false",
        "type": "boolean"
      },
      "ignore_case": {
        "description": "Default false",
        "type": "boolean"
      },
      "path": {
        "description": "File or folder, relative to the workspace; default all of it",
        "type": "string"
      },
      "glob": {
        "description": "Only files that match, from path on: *.ts, src/**/*.md",
        "type": "string",
        "minLength": 1,
        "maxLength": 1000
      },
      "context": {
        "description": "Lines to show around each match; default 0",
        "type": "integer",
        "minimum": 0,
        "maximum": 10
      },
      "max_matches": {
        "description": "Most matching lines; default 100",
        "type": "integer",
        "minimum": 1,
        "maximum": 1000
      },
      "ignored": {
        "description": "Search what .gitignore leaves out, too; default false",
        "type": "boolean"
      }
    },
    "required": [
      "pattern"
    ],
    "additionalProperties": false
  },
  "http_get": {
    "type": "object",
    "properties": {
      "url": {
        "type": "string",
        "minLength": 1,
        "maxLength": 8000,
        "description": "http:// or https:// URL"
      },
      "offset": {
        "description": "First character of the text to return; default 0",
        "type": "integer",
        "minimum": 0,
        "maximum": 9007199254740991
      },
      "max_chars": {
        "description": "Most characters to return; default 20000",
        "type": "integer",
        "minimum": 1,
        "maximum": 40000
      }
    },
    "required": [
      "url"
    ],
    "additionalProperties": false
  },
  "datetime": {
    "type": "object",
    "properties": {
      "timezone": {
        "description": "IANA name such as Asia/Shanghai or UTC; default the local zone",
        "type": "string"
      }
    },
    "additionalProperties": false
  },
  "calculator": {
    "type": "object",
    "properties": {
      "expression": {
        "type": "string",
        "description": "For example (1.1 + 2.2) * 3 ^ 2"
      }
    },
    "required": [
      "expression"
    ],
    "additionalProperties": false
  },
  "unit_convert": {
    "type": "object",
    "properties": {
      "value": {
        "type": "number"
      },
      "from": {
        "type": "string",
        "description": "Unit of the value, for example mile"
      },
      "to": {
        "type": "string",
        "description": "Unit to convert to, for example km"
      }
    },
    "required": [
      "value",
      "from",
      "to"
    ],
    "additionalProperties": false
  },
  "shell": {
    "type": "object",
    "properties": {
      "command": {
        "type": "string",
        "minLength": 1,
        "description": "The command, as for bash -c"
      },
      "background": {
        "description": "Leave it running and answer at once; default false",
        "type": "boolean"
      },
      "timeoutMs": {
        "description": "Milliseconds until it is ended; default 120000, at most 600000; in the background 3600000",
        "type": "integer",
        "minimum": 1,
        "maximum": 3600000
      }
    },
    "required": [
      "command"
    ],
    "additionalProperties": false
  },
  "shell_output": {
    "type": "object",
    "properties": {
      "id": {
        "type": "string",
        "minLength": 1,
        "description": "The id that shell answered"
      },
      "waitMs": {
        "description": "Milliseconds to wait for the end; default 0",
        "type": "integer",
        "minimum": 0,
        "maximum": 60000
      }
    },
    "required": [
      "id"
    ],
    "additionalProperties": false
  },
  "shell_kill": {
    "type": "object",
    "properties": {
      "id": {
        "type": "string",
        "minLength": 1,
        "description": "The id that shell answered"
      }
    },
    "required": [
      "id"
    ],
    "additionalProperties": false
  },
  "ask_user": {
    "type": "object",
    "properties": {
      "question": {
        "type": "string",
        "minLength": 1,
        "maxLength": 4000,
        "description": "One question, in the language of the user"
      },
      "options": {
        "description": "The possible answers; without them the user answers freely",
        "minItems": 2,
        "maxItems": 20,
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500
        }
      },
      "multiple": {
        "description": "Whether several options can be chosen; default false",
        "type": "boolean"
      }
    },
    "required": [
      "question"
    ],
    "additionalProperties": false
  },
  "todo": {
    "type": "object",
    "properties": {
      "items": {
        "maxItems": 100,
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "content": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "status": {
              "type": "string",
              "enum": [
                "pending",
                "in_progress",
                "completed"
              ]
            }
          },
          "required": [
            "content",
            "status"
          ],
          "additionalProperties": false
        }
      }
    },
    "required": [
      "items"
    ],
    "additionalProperties": false
  },
  "task": {
    "type": "object",
    "properties": {
      "description": {
        "description": "The work in a few words, for the user",
        "type": "string",
        "maxLength": 200
      },
      "prompt": {
        "type": "string",
        "minLength": 1,
        "maxLength": 100000
      },
      "agent": {
        "description": "Who does it; default an agent like you",
        "type": "string",
        "maxLength": 100
      },
      "tools": {
        "description": "The only tools it may use, of those that you have; default all of them",
        "maxItems": 100,
        "type": "array",
        "items": {
          "type": "string",
          "maxLength": 100
        }
      },
      "max_steps": {
        "type": "integer",
        "minimum": 1,
        "maximum": 1000
      }
    },
    "required": [
      "prompt"
    ],
    "additionalProperties": false
  },
  "schedule_job": {
    "type": "object",
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "create",
          "list",
          "remove"
        ]
      },
      "job_id": {
        "description": "A short name, such as daily-report",
        "type": "string",
        "minLength": 1,
        "maxLength": 150
      },
      "prompt": {
        "description": "What each run is asked",
        "type": "string",
        "minLength": 1,
        "maxLength": 100000
      },
      "cron": {
        "description": "A cron expression, such as 0 9 * * 1-5",
        "type": "string",
        "maxLength": 500
      },
      "every": {
        "description": "An interval, such as 15m or 24h",
        "type": "string",
        "maxLength": 40
      },
      "at": {
        "description": "Once, such as 2026-12-24T18:00:00+01:00",
        "type": "string",
        "maxLength": 100
      },
      "timezone": {
        "description": "Of cron, such as Europe/Berlin",
        "type": "string",
        "maxLength": 100
      },
      "deliver": {
        "description": "Where results go: into this conversation (default), or to the console",
        "type": "string",
        "enum": [
          "session",
          "console"
        ]
      }
    },
    "required": [
      "action"
    ],
    "additionalProperties": false
  },
  "memory_search": {
    "type": "object",
    "properties": {
      "query": {
        "description": "What to look for",
        "type": "string",
        "minLength": 1,
        "maxLength": 1000
      },
      "queries": {
        "description": "One to four ways to say it; instead of query",
        "minItems": 1,
        "maxItems": 4,
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000
        }
      },
      "limit": {
        "description": "Number of results; default 6",
        "type": "integer",
        "minimum": 1,
        "maximum": 20
      }
    },
    "additionalProperties": false
  },
  "memory_get": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "Path of the file, as memory_search gives it"
      },
      "line": {
        "description": "First line; default 1",
        "type": "integer",
        "minimum": 1,
        "maximum": 9007199254740991
      },
      "limit": {
        "description": "Number of lines; default 100",
        "type": "integer",
        "minimum": 1,
        "maximum": 1000
      }
    },
    "required": [
      "path"
    ],
    "additionalProperties": false
  },
  "memory_write": {
    "type": "object",
    "properties": {
      "lines": {
        "minItems": 1,
        "maxItems": 50,
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000
        }
      },
      "to": {
        "description": "Default: day",
        "type": "string",
        "enum": [
          "day",
          "long_term"
        ]
      }
    },
    "required": [
      "lines"
    ],
    "additionalProperties": false
  },
  "session_search": {
    "type": "object",
    "properties": {
      "query": {
        "description": "What to look for",
        "type": "string",
        "minLength": 1,
        "maxLength": 1000
      },
      "queries": {
        "description": "One to four ways to say it; instead of query",
        "minItems": 1,
        "maxItems": 4,
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000
        }
      },
      "limit": {
        "description": "Number of results; default 6",
        "type": "integer",
        "minimum": 1,
        "maximum": 20
      }
    },
    "additionalProperties": false
  },
  "skill": {
    "type": "object",
    "properties": {
      "name": {
        "description": "The skill",
        "type": "string",
        "minLength": 1,
        "maxLength": 200
      },
      "arguments": {
        "description": "What it is to be used on, in the words of the user",
        "type": "string",
        "maxLength": 10000
      },
      "file": {
        "description": "A file of the skill instead of its instructions",
        "type": "string",
        "minLength": 1,
        "maxLength": 1000
      },
      "find": {
        "description": "Instead of a name: one to four ways to say what is to be done, in the language of the skills, which the user may not speak. Answers those that fit best, with what they are for, and loads none.",
        "minItems": 1,
        "maxItems": 4,
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 1000
        }
      }
    },
    "additionalProperties": false
  }
};

import type { Entry } from "./Entry.ts"

interface Chapter {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

/** All commands, in the order in which somebody comes to need them. */
export const chapters: ReadonlyArray<Chapter> = [
  {
    title: "Operations",
    entries: [
      {
        name: "serve",
        what: "Serve the gateway until SIGTERM or SIGINT.",
        load: async () => (await import("../serve.ts")).serveCommand
      },
      {
        name: "init",
        what: "Write a gateway.yaml from three answers.",
        load: async () => (await import("../init.ts")).initCommand
      },
      {
        name: "check",
        what: "Read the settings through, and print what would be served.",
        load: async () => (await import("../check.ts")).checkCommand
      },
      {
        name: "prices",
        what: "See what models cost.",
        load: async () => (await import("../prices.ts")).pricesCommand
      }
    ]
  },
  {
    title: "Access",
    entries: [
      {
        name: "keys",
        what: "Make, list, change and revoke API keys.",
        load: async () => (await import("../keys.ts")).keysCommand
      },
      {
        name: "accounts",
        what: "Make, change, credit, suspend and delete accounts.",
        load: async () => (await import("../accounts.ts")).accountsCommand
      },
      {
        name: "webhooks",
        what: "Show and rotate the secrets that sign callbacks.",
        load: async () => (await import("../webhooks.ts")).webhooksCommand
      },
      {
        name: "sessions",
        what: "List who is signed in to the console, or sign in.",
        load: async () => (await import("../sessions.ts")).sessionsCommand
      }
    ]
  },
  {
    title: "Activity",
    entries: [
      {
        name: "requests",
        what: "List, show and follow what became of requests.",
        load: async () => (await import("../requests.ts")).requestsCommand
      },
      {
        name: "usage",
        what: "What was used, and what it cost.",
        load: async () => (await import("../usage.ts")).usageCommand
      },
      {
        name: "tasks",
        what: "List, show and cancel what runs in the background.",
        load: async () => (await import("../tasks.ts")).tasksCommand
      },
      {
        name: "deliveries",
        what: "List callbacks, and send one once more.",
        load: async () => (await import("../deliveries.ts")).deliveriesCommand
      },
      {
        name: "upstreams",
        what: "How the upstreams of a running gateway do.",
        load: async () => (await import("../upstreams.ts")).upstreamsCommand
      },
      {
        name: "models",
        what: "What a running gateway serves, where it runs and what it costs.",
        load: async () => (await import("../models.ts")).modelsCommand
      },
      {
        name: "logs",
        what: "Read and follow the log of a running gateway.",
        load: async () => (await import("../readLogs.ts")).logsCommand
      },
      {
        name: "nodes",
        what: "List the processes that serve from a Postgres.",
        load: async () => (await import("../nodes.ts")).nodesCommand
      },
      {
        name: "audit",
        what: "Read what was changed, by whom and when.",
        load: async () => (await import("../audit.ts")).auditCommand
      }
    ]
  },
  {
    title: "Its database",
    entries: [
      {
        name: "migrate",
        what: "Bring the database to this version's schema.",
        load: async () => (await import("../migrate.ts")).migrateCommand
      },
      {
        name: "backup",
        what: "Copy a SQLite database, beside a running gateway too.",
        load: async () => (await import("../backup.ts")).backupCommand
      },
      {
        name: "restore",
        what: "Put a backup in the database's place.",
        load: async () => (await import("../backup.ts")).restoreCommand
      },
      {
        name: "db",
        what: "Move everything from SQLite to Postgres.",
        load: async () => (await import("../database.ts")).databaseCommand
      },
      {
        name: "config",
        what: "The configuration in the database.",
        load: async () => (await import("../configuration.ts")).configurationCommand
      }
    ]
  },
  {
    title: "This program",
    entries: [
      {
        name: "completion",
        what: "Print a script that completes commands in bash, zsh or fish.",
        load: async () => (await import("../completion.ts")).completionCommand
      },
      {
        name: "licenses",
        what: "Print the licences of what this program contains.",
        load: async () => (await import("../licenses.ts")).licensesCommand
      }
    ]
  }
]

export const entries = chapters.flatMap((chapter) => chapter.entries)

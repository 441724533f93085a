import type { Entry } from "./Entry.ts"

interface Chapter {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

/** All commands, roughly in the order in which a new operator needs them. */
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
        what: "Write a gateway.yaml from four answers.",
        load: async () => (await import("../init.ts")).initCommand
      },
      {
        name: "import",
        what: "Take over LiteLLM's models, teams, keys and budgets.",
        load: async () => (await import("../import.ts")).importCommand
      },
      {
        name: "check",
        what: "Validate the settings, and print what would be served.",
        load: async () => (await import("../check.ts")).checkCommand
      },
      {
        name: "doctor",
        what: "Check the whole installation, and say what to change.",
        load: async () => (await import("../doctor.ts")).doctorCommand
      },
      {
        name: "providers",
        what: "List the providers that the gateway knows.",
        load: async () => (await import("../providers.ts")).providersCommand
      },
      {
        name: "prices",
        what: "Show what models cost, and fetch the public prices.",
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
        what: "List sessions of the console, or sign in.",
        load: async () => (await import("../sessions.ts")).sessionsCommand
      }
    ]
  },
  {
    title: "Activity",
    entries: [
      {
        name: "attention",
        what: "Show what needs the operator's attention, and what to do.",
        load: async () => (await import("../attention.ts")).attentionCommand
      },
      {
        name: "budgets",
        what: "List budgets and balances, those near their end first.",
        load: async () => (await import("../listBudgets.ts")).budgetsCommand
      },
      {
        name: "requests",
        what: "List, show and follow finished requests.",
        load: async () => (await import("../requests.ts")).requestsCommand
      },
      {
        name: "overview",
        what: "Compare traffic by group; price it as another model's.",
        load: async () => (await import("../overview.ts")).overviewCommand
      },
      {
        name: "usage",
        what: "Report usage and cost.",
        load: async () => (await import("../usage.ts")).usageCommand
      },
      {
        name: "tasks",
        what: "List, show and cancel background tasks.",
        load: async () => (await import("../tasks.ts")).tasksCommand
      },
      {
        name: "deliveries",
        what: "List callbacks, and send one again.",
        load: async () => (await import("../deliveries.ts")).deliveriesCommand
      },
      {
        name: "upstreams",
        what: "Show the health of a running gateway's upstreams.",
        load: async () => (await import("../upstreams.ts")).upstreamsCommand
      },
      {
        name: "tools",
        what: "List MCP servers and their tools.",
        load: async () => (await import("../tools.ts")).toolsCommand
      },
      {
        name: "models",
        what: "List a running gateway's models, their routes and prices.",
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
        what: "List changes, their authors and times.",
        load: async () => (await import("../audit.ts")).auditCommand
      }
    ]
  },
  {
    title: "Its database",
    entries: [
      {
        name: "migrate",
        what: "Migrate the database to this version's schema.",
        load: async () => (await import("../migrate.ts")).migrateCommand
      },
      {
        name: "backup",
        what: "Copy a SQLite database; the gateway may be running.",
        load: async () => (await import("../backup.ts")).backupCommand
      },
      {
        name: "restore",
        what: "Replace the database with a backup.",
        load: async () => (await import("../backup.ts")).restoreCommand
      },
      {
        name: "db",
        word: "database",
        what: "Copy it to Postgres, give free space back, add missing sums.",
        load: async () => (await import("../database.ts")).databaseCommand
      },
      {
        name: "config",
        what: "Manage the configuration in the database.",
        load: async () => (await import("../configuration.ts")).configurationCommand
      }
    ]
  },
  {
    title: "A gateway's user",
    entries: [
      {
        name: "login",
        what: "Sign in to a gateway with the company's account.",
        load: async () => (await import("../login.ts")).loginCommand
      },
      {
        name: "token",
        what: "Print a fresh access token, for programs.",
        load: async () => (await import("../token.ts")).tokenCommand
      },
      {
        name: "logout",
        what: "End the sign-in.",
        load: async () => (await import("../logout.ts")).logoutCommand
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
        what: "Print the licences of this program's dependencies.",
        load: async () => (await import("../licenses.ts")).licensesCommand
      }
    ]
  }
]

export const entries = chapters.flatMap((chapter) => chapter.entries)

export const keys = {
  active: (count: string) => `${count} active`,
  create: "Create key",
  search: "Search keys",
  example: "A name, an account, an id",
  anyAccount: "Any account",
  anyStatus: "Any status",
  status: { active: "active", expired: "expired", revoked: "revoked" },
  columns: {
    name: "Name",
    status: "Status",
    account: "Account",
    secret: "Secret",
    models: "Models",
    limits: "Limits",
    budget: "Budget",
    used: "Last used",
    expires: "Expires"
  },
  declared: "gateway.yaml",
  ownSecret: "its own",
  of: (limit: string, period: string) => `of ${limit} a ${period}`,
  budgetLabel: (spent: string, limit: string, period: string) => `${spent} of ${limit} a ${period} spent`,
  emptyTitle: "No keys",
  empty: "Clients authenticate with a key. Create one here, or on the command line:",
  noMatch: (filter: string) => ["No key matches ", filter, "."] as const,
  limits: {
    requests: (count: string) => `${count} rpm`,
    tokens: (count: string) => `${count} tpm`,
    concurrent: (count: string) => `${count} at once`,
    tasks: (count: string) => `${count} tasks`
  }
}

export const key = {
  edit: "Edit limits",
  rotate: "Rotate secret",
  revoke: "Revoke key",
  like: "Create one like it",
  declared: "This key is declared in gateway.yaml; change it there.",
  facts: {
    key: "Key",
    secret: "Secret",
    account: "Account",
    used: "Last used",
    limits: "Limits",
    expires: "Expires",
    made: "Created"
  },
  budget: "Budget",
  spent: (spent: string, limit: string, period: string) => `${spent} of ${limit} this ${period}`,
  left: (left: string) => ` · ${left} left`,
  models: (hits: number, all: number) => `${hits} of ${all} models`,
  nothing: "no served model",
  requests: "See its requests",
  changes: "Changes",
  noChanges: "No changes since it was created.",
  gone: "There is no such key."
}

export const keyForm = {
  create: "Create a key",
  edit: (name: string) => `Edit ${name}`,
  save: "Save changes",
  saved: "Saved",
  name: "Name",
  account: "Account",
  models: "Models",
  matches: (hits: number, all: number, names: string) => `Matches ${hits} of ${all}: ${names}`,
  matchesNone: (all: number) => `Matches none of the ${all} models served.`,
  budget: "Budget",
  noBudget: "none",
  period: "Period",
  periods: { day: "USD a day", month: "USD a month" },
  available: (account: string, left: string) => `${account} has ${left} available.`,
  unmetered: (account: string) => `${account} has no spending limit.`,
  expires: "Expires",
  expiry: {
    keep: "as it is",
    never: "never",
    day: "in a day",
    month: "in 30 days",
    quarter: "in 90 days",
    year: "in a year"
  },
  requests: "Requests a minute",
  tokens: "Tokens a minute",
  concurrent: "Requests at once",
  tasks: "Unfinished tasks",
  alsoAccount: "Its account’s limits apply too.",
  nameFirst: "Give it a name.",
  patterns: "Name a model or a pattern; * stands for any.",
  ready: (name: string) => `${name} is ready`,
  secretOnce: "This is its secret. The gateway keeps only a hash of it, so it can’t be shown again.",
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revoke: "Requests with it are refused at once, also those of clients that still use it.",
  lastUsed: (when: string) => ` It was last used ${when}.`,
  neverUsed: " It was never used.",
  forGood: " This can’t be undone.",
  revoked: (name: string) => `${name} is revoked`,
  rotateTitle: (name: string) => `Rotate the secret of ${name}?`,
  rotate:
    "It gets a new secret, which is shown once. The old one stops working within a second, also for clients that use it now."
}

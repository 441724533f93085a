export const audit = {
  title: "Audit",
  count: (count: number, shown: string) => `${shown} ${count === 1 ? "change" : "changes"}`,
  search: "Search the audit log",
  example: "An account or an id, account:team-a, actor:cli:ann, until:2026-01-31",
  anyAction: "Any change",
  anyActor: "Anyone",
  anyTime: "Any time",
  sessions: "Without sign-ins",
  withSessions: "With sign-ins",
  actions: [
    ["configuration", "Configuration"],
    ["key", "Keys"],
    ["account", "Accounts"],
    ["webhooks", "Webhook secrets"],
    ["task", "Tasks"],
    ["delivery", "Callbacks"],
    ["prices", "Prices"],
    ["guardrail", "Blocked by guardrails"],
    ["session", "Sessions"]
  ] as const,
  actors: [
    ["admin-key", "The admin key"],
    ["session", "Console"],
    ["cli", "Command line"],
    ["file", "gateway.yaml"],
    ["guardrail", "Guardrails"],
    ["upgrade", "Upgrades"]
  ] as const,
  times: [
    ["24h", "Last 24 hours"],
    ["7d", "Last 7 days"],
    ["30d", "Last 30 days"],
    ["today", "Today"]
  ] as const,
  columns: { when: "When", who: "Who", what: "What", of: "Of", changed: "Changed" },
  older: "Older changes",
  more: (count: number) => `+${count} more`,
  console: "console",
  nothing: "no field",
  empty: "Nothing has been changed yet",
  emptyText:
    "Every change of a key, an account, a balance or the configuration is listed here with who made it, and with the values before and after.",
  noMatch: "No change matches these filters.",
  drawer: {
    who: "Who",
    when: "When",
    of: "Of",
    id: "Id",
    account: "Account",
    changes: "Changed",
    field: "Field",
    before: "Before",
    after: "After",
    states: "Before and after, as JSON"
  }
}

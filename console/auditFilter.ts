/** The filters of the audit log, as the gateway takes them. */
export interface AuditFilter {
  readonly target?: string
  readonly account?: string
  readonly action?: string
  readonly actor?: string
  readonly since?: string
  readonly until?: string
  readonly sessions: "true" | "false"
}

const fields = ["target", "account", "action", "actor", "since", "until"] as const

/** Ids of what is changed begin so; other words of a search are accounts. */
const targetId = /^(?:key|session|msg|task|resp|video|cgt)[_-]/

/** The filter in an address: selects, and `field:value`, ids and accounts in the search field. */
export const auditFilterOf = (query: URLSearchParams): AuditFilter => {
  const given: Partial<Record<(typeof fields)[number], string>> = {}
  for (const name of fields) {
    const value = query.get(name)
    if (value !== null && value !== "") given[name] = value
  }
  for (const term of (query.get("q") ?? "").split(/\s+/).filter((one) => one !== "")) {
    const name = fields.find((field) => term.startsWith(`${field}:`))
    if (name !== undefined) given[name] = term.slice(name.length + 1)
    else given[targetId.test(term) || term === "configuration" ? "target" : "account"] = term
  }
  const asksForSessions = [given.action, given.target].some((text) => text?.startsWith("session") === true)
  return { ...given, sessions: query.get("sessions") === "true" || asksForSessions ? "true" : "false" }
}

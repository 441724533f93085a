import type { Environment } from "./secretVariable.ts"

/** Variables of the gateway's clients. */
const clients = new Set(["GATEWAY_KEY", "GATEWAY_URL"])

/**
 * True for variables that a container platform injects for a service named "gateway": `GATEWAY_PORT=tcp://10.0.0.1:80`,
 * `GATEWAY_PORT_80_TCP_ADDR`, `GATEWAY_SERVICE_HOST`.
 */
export const isInjected = (name: string, value: string): boolean =>
  (name === "GATEWAY_PORT" && /^(tcp|udp|sctp):\/\//.test(value)) ||
  /^GATEWAY_(SERVICE|PORT_\d{1,5})_[A-Z0-9_]{1,64}$/.test(name)

/**
 * Warnings about variables that look like the gateway's but are not read, one line each.
 *
 * @param known the names that the gateway reads
 */
export const environmentWarnings = (env: Environment, known: ReadonlySet<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const [name, value = ""] of Object.entries(env)) {
    if (!name.startsWith("GATEWAY_") || known.has(name) || clients.has(name) || isInjected(name, value)) continue
    const near = closest(name, known)
    lines.push(`${name}: the gateway knows no such variable${near === undefined ? "" : `; is ${near} meant?`}`)
  }
  if ((env["REDIS_URL"] ?? "") !== "" && (env["GATEWAY_REDIS_URL"] ?? "") === "") {
    lines.push("REDIS_URL is not used: limits are counted in Redis where GATEWAY_REDIS_URL says so")
  }
  return lines
}

/** The known name that differs least, in two characters at most. */
export const closest = (name: string, known: Iterable<string>): string | undefined =>
  [...known]
    .map((other) => [distance(name, other), other] as const)
    .filter(([apart]) => apart <= 2)
    .toSorted(([one], [other]) => one - other)[0]?.[1]

/** Edit distance of two names, up to three. */
const distance = (one: string, other: string): number => {
  if (Math.abs(one.length - other.length) > 2) return 3
  let before = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1
      now.push(Math.min((before[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1, (before[column - 1] ?? 0) + same))
    }
    before = now
  }
  return before[other.length] ?? 3
}

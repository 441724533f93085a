import { outcomeOf } from "../../src/requests/outcome.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { Faint, Section } from "../parts/text.tsx"
import { callsOf } from "../requestCalls.ts"
import { words } from "../words/words.ts"

const text = words.request

type Level = "error" | "info" | "warn"

/** `name=value` of those that are there. */
const pairs = (values: Readonly<Record<string, string | number | null | undefined>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}=${value}`]))
    .join(" ")

const levelOf = (request: RequestView): Level =>
  outcomeOf(request) === "hang_up" || request.error === null ? "info" : request.status >= 500 ? "error" : "warn"

/** The request's lines of the gateway's log. */
export const RequestLog = ({ request }: { readonly request: RequestView }) => {
  const { attempts, cost_usd, duration_ms, error, status } = request
  const calls = callsOf(request)
  const lines: ReadonlyArray<readonly [ms: number, level: Level, event: string, rest: string]> = [
    ...attempts.map((attempt, index) => {
      const { duration_ms, error, status, upstream, upstream_key, upstream_request_id } = attempt
      const rest = pairs({ upstream, upstream_key, status, error, duration_ms, upstream_request_id })
      return [calls[index]?.began ?? 0, error === null ? "info" : "warn", "upstream.attempt", rest] as const
    }),
    [duration_ms, levelOf(request), "request", pairs({ status, error, duration_ms, cost_usd })]
  ]
  const clockOf = (ms: number) => new Date(Date.parse(request.time) + ms).toISOString().slice(11, 23)
  return (
    <Section title={text.log}>
      <div class="log" tabIndex={0} role="region" aria-label={text.log}>
        {lines.map(([ms, level, event, rest], index) => (
          <div key={index}>
            <Faint>{clockOf(ms)}</Faint> <span class={level === "info" ? "" : level.charAt(0)}>{level.padEnd(5)}</span>
            {` ${event.padEnd(17)} ${rest}`}
          </div>
        ))}
      </div>
    </Section>
  )
}

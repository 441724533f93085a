import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { UpstreamRecord } from "../admin/UpstreamRecord.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { help, json, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable } from "./table.ts"

const upstreams = Command.make("upstreams", { wide, json }, ({ json, wide }) =>
  administer(
    Effect.gen(function* () {
      const { upstreams } = yield* Operator
      const records = yield* upstreams
      yield* print(json, records, () =>
        [listTable(header, records.map(row), { rare, wide }), ...failures(records)].join("\n")
      )
    })
  )
).pipe(
  Command.withDescription(
    help(
      "List a running gateway's upstreams and their health. Uses its admin API, also on this machine (GATEWAY_ADMIN_KEY).",
      "gateway upstreams",
      "gateway upstreams --url https://gateway.example.com --json"
    )
  )
)

export const upstreamsCommand = remoteLeaf(upstreams)

const rare = ["RUNNING", "PROTOCOL", "MODELS"]
const header = ["UPSTREAM", "PROTOCOL", "CIRCUIT", "MODELS", "CALLS", "ANSWERS", "FAILED", "P50", "P95", "RUNNING"]

const row = (upstream: UpstreamRecord): ReadonlyArray<string> => [
  upstream.name,
  upstream.protocol ?? `built in (${upstream.kind})`,
  upstream.circuit === "open" ? `open, ${Math.ceil(upstream.retry_in_seconds ?? 0)} s` : upstream.circuit,
  String(upstream.models.length),
  upstream.calls === undefined ? "" : String(upstream.calls),
  String(upstream.answers),
  String(upstream.failures),
  upstream.latency_ms === null ? "" : `${upstream.latency_ms.p50} ms`,
  upstream.latency_ms === null ? "" : `${upstream.latency_ms.p95} ms`,
  upstream.running === null ? "" : `${upstream.running}, ${upstream.waiting ?? 0} wait`
]

const failures = (records: ReadonlyArray<UpstreamRecord>): ReadonlyArray<string> =>
  records.flatMap(({ last_failure: last, name }) =>
    last === null ? [] : [`${name} failed last at ${shortTime(last.time)}: ${last.message}`]
  )

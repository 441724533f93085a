import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { Settings } from "../config/Settings.ts"
import type { Circuit } from "../models/Circuit.ts"
import { Lanes } from "../models/Lane.ts"
import type { Lane } from "../models/Lane.ts"
import { Leases } from "../tasks/Leases.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { Registry } from "../telemetry/Registry.ts"

/** How often the event loop is looked at. */
const lookMs = 250

const circuitStates = { closed: 0, probing: 1, open: 2 } satisfies Record<Circuit["state"], number>

interface Page {
  /** Path → answer; none where metrics are off. */
  readonly pages: Readonly<Record<string, () => Promise<Response>>>
}
type Needs = Settings | Leases | TaskStore | Deliveries | Scope.Scope

/** `GET /metrics` where the operator wants it: what was counted since the start, and how things stand now. */
export class MetricsPage extends Effect.Service<MetricsPage>()("gateway/health/MetricsPage", {
  scoped: Effect.gen(function* (): Effect.fn.Return<Page, never, Needs> {
    const { server } = yield* Settings
    if (!server.metrics) return { pages: {} }
    const metrics = yield* Metrics
    const lanes = yield* Lanes
    const leases = yield* Leases
    const tasks = yield* TaskStore
    const deliveries = yield* Deliveries
    const runtime = yield* Effect.runtime()
    yield* watchEventLoop(metrics)

    /** A database that does not answer leaves its own numbers out. */
    const asked = (now: Registry, name: string, help: string, read: Effect.Effect<number, SqlError>) =>
      read.pipe(
        Effect.map((value) => {
          now.gauge(name, help).of().value = value
        }),
        Effect.catchAllCause((cause) => Effect.logWarning(`metrics: ${name} is not known`, cause))
      )

    const text = Effect.gen(function* () {
      const now = new Registry()
      yield* asked(now, "gateway_tasks_active", "Tasks that have not ended, up to 100000.", tasks.active)
      yield* asked(
        now,
        "gateway_oldest_expired_lease_seconds",
        "How long the longest-abandoned task has waited for another worker.",
        Effect.map(leases.oldestExpiredLeaseMs, (ms) => ms / 1_000)
      )
      yield* asked(
        now,
        "gateway_deliveries_pending",
        "Callbacks still to be delivered, up to 100000.",
        deliveries.pending
      )
      upstreams(now, lanes)
      ownProcess(now)
      return metrics.registry.text() + now.text()
    })

    return {
      pages: {
        "/metrics": () =>
          Runtime.runPromise(runtime)(
            Effect.map(text, (body) => new Response(body, { headers: { "content-type": contentType } }))
          )
      }
    }
  })
}) {}

const contentType = "text/plain; version=0.0.4; charset=utf-8"

const upstreams = (now: Registry, lanes: ReadonlyMap<string, Lane>) => {
  const circuit = now.gauge("gateway_upstream_circuit", "0 closed, 1 probing, 2 open (left alone).", "upstream")
  const running = now.gauge("gateway_upstream_running", "Calls under way, where they are bounded.", "upstream")
  const waiting = now.gauge("gateway_upstream_waiting", "Calls that wait for room.", "upstream")
  for (const [name, lane] of lanes) {
    circuit.of(name).value = circuitStates[lane.circuit.state]
    if (lane.slots === undefined) continue
    running.of(name).value = lane.slots.running
    waiting.of(name).value = lane.slots.waiting
  }
}

const ownProcess = (now: Registry) => {
  const { system, user } = process.cpuUsage()
  const started = Date.now() / 1_000 - process.uptime()
  now.gauge("process_resident_memory_bytes", "Resident memory.").of().value = process.memoryUsage.rss()
  now.counter("process_cpu_seconds_total", "CPU time.").of().value = (system + user) / 1e6
  now.gauge("process_start_time_seconds", "When the process started, Unix time.").of().value = started
}

const watchEventLoop = (metrics: Metrics) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const lag = metrics.eventLoopLag.of()
      let due = performance.now() + lookMs
      return setInterval(() => {
        const now = performance.now()
        lag.observe(Math.max(0, now - due) / 1_000)
        due = now + lookMs
      }, lookMs)
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

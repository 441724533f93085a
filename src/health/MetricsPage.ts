import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { Budgets } from "../access/store/Budgets.ts"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { scopeText } from "../contract/text/scopeText.ts"
import { writtenFrom } from "../contract/budgets/WrittenBudget.ts"
import { Daemons } from "../flow/Daemons.ts"
import type { CircuitState } from "../routing/CircuitBreaker.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"
import { BalanceStanding } from "../ledger/store/BalanceStanding.ts"
import type { StandingBalance } from "../ledger/store/BalanceStanding.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import type { ActiveTasks } from "../tasks/TaskStorage.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { AccessLog } from "../telemetry/AccessLog.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { Registry } from "../telemetry/Registry.ts"
import { textOf, together } from "../telemetry/Snapshot.ts"
import type { Snapshot } from "../telemetry/Snapshot.ts"
import type { ExportQueue } from "../telemetry/otlp/ExportQueue.ts"
import { LogExport } from "../telemetry/otlp/LogExport.ts"
import { CurrentTracing } from "../telemetry/tracing/Tracing.ts"
import { Workers } from "../telemetry/Workers.ts"

/** Sampling interval of the event loop, in ms. */
const lookMs = 250

const circuitStates = { closed: 0, probing: 1, open: 2 } satisfies Record<CircuitState, number>

interface Page {
  /** All metrics in Prometheus's text format. */
  readonly answer: () => Promise<Response>
}
type Needs = AccessLog | BalanceStanding | Budgets | Daemons | TaskStore | Deliveries | Scope.Scope

/** `GET /metrics`: counts since the start, and current values. */
export class MetricsPage extends Effect.Service<MetricsPage>()("gateway/health/MetricsPage", {
  dependencies: [BalanceStanding.Default, Budgets.Default],
  scoped: Effect.gen(function* (): Effect.fn.Return<Page, never, Needs> {
    const metrics = yield* Metrics
    const bulkheads = yield* Bulkheads
    const tasks = yield* TaskStore
    const deliveries = yield* Deliveries
    const daemons = yield* Daemons
    const balances = yield* BalanceStanding
    const budgets = yield* Budgets
    const { dropped } = yield* AccessLog
    const workers = yield* Workers
    const tracing = yield* CurrentTracing
    const logExport = yield* LogExport
    const runtime = yield* Effect.runtime()
    yield* watchEventLoop(metrics)

    /** This process's counts and current values. */
    const own = (): Snapshot => {
      const now = new Registry()
      background(now, daemons)
      now.counter("gateway_log_lines_dropped_total", "Log lines that standard output did not accept.").of().value =
        dropped()
      exports(now, tracing, logExport)
      upstreams(now, bulkheads)
      ownProcess(now)
      if (workers === undefined) alone(now)
      return [...metrics.registry.snapshot(), ...now.snapshot()]
    }
    workers?.answering(own)
    const all = workers === undefined ? Effect.sync(own) : Effect.map(Effect.promise(workers.all), together)

    /** Undefined if the database does not answer. */
    const orUndefined = <A>(read: Effect.Effect<A, SqlError | StoreFailure>): Effect.Effect<A | undefined> =>
      read.pipe(
        Effect.catchAllCause((cause) =>
          Effect.as(Effect.logWarning("metrics: the database's numbers are unavailable", cause), undefined)
        )
      )

    const text = Effect.gen(function* () {
      const now = new Registry()
      const nowMs = yield* Clock.currentTimeMillis
      standing(now, nowMs, {
        active: yield* orUndefined(tasks.active),
        leaseMs: yield* orUndefined(tasks.oldestExpiredLeaseMs),
        pending: yield* orUndefined(deliveries.pending),
        balances: yield* orUndefined(balances.all),
        budgets: yield* orUndefined(budgets.standing)
      })
      return textOf([...(yield* all), ...now.snapshot()])
    })

    return {
      answer: () =>
        Runtime.runPromise(runtime)(
          Effect.map(text, (body) => new Response(body, { headers: { "content-type": contentType } }))
        )
    }
  })
}) {}

const contentType = "text/plain; version=0.0.4; charset=utf-8"

interface Stored {
  readonly active: ReadonlyArray<ActiveTasks> | undefined
  readonly leaseMs: number | undefined
  readonly pending: Effect.Effect.Success<Deliveries["pending"]> | undefined
  readonly balances: ReadonlyArray<StandingBalance> | undefined
  readonly budgets: ReadonlyArray<BudgetStanding> | undefined
}

/** More series are not shown. */
const mostBudgets = 200

/** Stored tasks and deliveries that have not ended. Unknown values have no series, or are NaN. */
const standing = (
  now: Registry,
  nowMs: number,
  { active = [], balances = [], budgets = [], leaseMs = NaN, pending }: Stored
) => {
  const age = (sinceMs: number) => Math.max(0, nowMs - sinceMs) / 1_000
  const count = now.gauge("gateway_tasks_active", "Tasks that have not ended, up to 100000.", "kind", "state")
  const oldest = now.gauge("gateway_tasks_oldest_age_seconds", "Age of the oldest active task.", "kind", "state")
  for (const { kind, n, oldest: sinceMs, state } of active) {
    count.of(kind, state).value = n
    oldest.of(kind, state).value = age(sinceMs)
  }
  now
    .gauge("gateway_oldest_expired_lease_seconds", "How long the oldest abandoned task has waited for another worker.")
    .of().value = leaseMs / 1_000
  const used = now.gauge(
    "gateway_budget_used_ratio",
    "Used share of budgets, and of balances' last credit; of each the 200 that are used up most.",
    "account",
    "key",
    "budget"
  )
  for (const { account, usedShare } of balances) used.of(account, "", "balance").value = usedShare
  for (const { meter, ratio } of budgets.toSorted((one, other) => other.ratio - one.ratio).slice(0, mostBudgets)) {
    const { account, budget, key = "" } = meter
    used.of(account, key, `${budget.unit} ${scopeText(writtenFrom(budget))}`).value = ratio
  }
  now.gauge("gateway_deliveries_pending", "Undelivered callbacks, up to 100000.").of().value = pending?.count ?? NaN
  now.gauge("gateway_deliveries_oldest_age_seconds", "Age of the oldest undelivered callback.").of().value =
    pending === undefined ? NaN : age(pending.oldestMs ?? nowMs)
}

/** Metrics that the supervisor counts if there are several processes. */
const alone = (now: Registry) => {
  now.gauge("gateway_workers", "Serving processes.").of().value = 1
  now.counter("gateway_workers_replaced_total", "Workers that ended or hung, and were replaced.")
}

const background = (now: Registry, daemons: Daemons) => {
  const failures = now.counter("gateway_daemon_failures_total", "Failures of background jobs.", "daemon")
  const failing = now.highest("gateway_daemon_failing", "1 if the job's last run failed.", "daemon")
  for (const { failingSince, failures: count, name } of daemons.all()) {
    failures.of(name).value = count
    failing.of(name).value = failingSince === undefined ? 0 : 1
  }
}

type Exporting = Pick<ExportQueue<never>, "counts"> | undefined

const exports = (now: Registry, tracing: Exporting, logExport: Exporting) => {
  const none = { dropped: 0, exported: 0 }
  const spans = tracing?.counts() ?? none
  const lines = logExport?.counts() ?? none
  const count = (name: string, help: string, value: number) => void (now.counter(name, help).of().value = value)
  const lost = "that the collector refused or did not accept in time."
  count("gateway_spans_exported_total", "Spans that the collector accepted.", spans.exported)
  count("gateway_spans_dropped_total", `Spans ${lost}`, spans.dropped)
  count("gateway_log_records_exported_total", "Log lines that the collector accepted.", lines.exported)
  count("gateway_log_records_dropped_total", `Log lines ${lost}`, lines.dropped)
}

const upstreams = (now: Registry, bulkheads: ReadonlyMap<string, Bulkhead>) => {
  const circuit = now.highest(
    "gateway_upstream_circuit",
    "State of the circuit breaker: 0 closed, 1 probing, 2 open.",
    "upstream"
  )
  const accounts = now.gauge(
    "gateway_upstream_circuit_accounts",
    "Accounts whose own circuit breaker is open or probing.",
    "upstream"
  )
  const running = now.gauge(
    "gateway_upstream_running",
    "Running calls of upstreams with `max_concurrency`.",
    "upstream"
  )
  const waiting = now.gauge("gateway_upstream_waiting", "Calls waiting in the upstream queue.", "upstream")
  for (const [name, bulkhead] of bulkheads) {
    circuit.of(name).value = circuitStates[bulkhead.circuit.state(bulkhead.clock.unsafeCurrentTimeMillis())]
    accounts.of(name).value = bulkhead.circuit.openAccounts
    if (bulkhead.slots === undefined) continue
    running.of(name).value = bulkhead.slots.running
    waiting.of(name).value = bulkhead.slots.waiting
  }
}

const ownProcess = (now: Registry) => {
  const { system, user } = process.cpuUsage()
  const started = Date.now() / 1_000 - process.uptime()
  now.gauge("process_resident_memory_bytes", "Resident memory.").of().value = process.memoryUsage.rss()
  now.counter("process_cpu_seconds_total", "CPU time.").of().value = (system + user) / 1e6
  now.highest("process_start_time_seconds", "When the process started, Unix time.").of().value = started
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

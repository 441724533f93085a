import { isTerminalGone } from "../flow/terminal.ts"
import { Duration, Effect, Layer, Option, Queue } from "effect"
import { Settings } from "../config/Settings.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Logging } from "../telemetry/Logging.ts"
import { StandardOutput } from "../telemetry/StandardOutput.ts"
import { ownPort } from "../cluster/workers/ownPort.ts"
import { supervise } from "../cluster/workers/supervise.ts"
import { LogsLive } from "./logs.ts"
import { ownCommand } from "./ownCommand.ts"
import { runtimeVariables } from "./reexec.ts"
import { LogExportLive } from "./telemetry.ts"

/**
 * Serves with several processes that share the port, until a signal stops it. SIGHUP is sent to each of them, or stops them if their terminal was closed; SIGUSR2
 * replaces them one after the other.
 */
export const serveByWorkers = (workers: number) =>
  Effect.gen(function* () {
    const { server } = yield* Settings
    const output = yield* StandardOutput
    const { format } = yield* Logging
    const port = yield* ownPort(server.host, server.port)
    const adminPort = yield* Effect.transposeMapOption(server.admin, ({ host, port }) =>
      ownPort(host, port, "server.admin")
    )
    const crew = yield* supervise({
      workers,
      drainDeadline: Duration.sum(server.leaveTime, server.drainDeadline),
      command: ownCommand(["serve"]),
      env: () => ({
        ...runtimeVariables,
        ...process.env,
        GATEWAY_PORT: String(port),
        ...(Option.isSome(adminPort) ? { GATEWAY_ADMIN_PORT: String(adminPort.value) } : {}),
        GATEWAY_LOG_FORMAT: format
      }),
      print: output.write,
      dropped: output.dropped
    })
    const stop = Effect.sync(() => process.kill(process.pid, "SIGTERM"))
    yield* onSignal(
      "SIGHUP",
      Effect.suspend(() => (isTerminalGone() ? stop : crew.hangUp))
    )
    yield* onSignal("SIGUSR2", crew.replaceAll)
    yield* Effect.logInfo(`${workers} workers serve`)
    return yield* Effect.never
  }).pipe(
    Effect.provide(Layer.merge(Layer.provideMerge(LogExportLive, LogsLive), Daemons.Default)),
    Effect.scoped,
    Effect.withTracerEnabled(false)
  )

/** Runs an effect for each signal; signals during a run lead to one more run. */
const onSignal = (signal: NodeJS.Signals, run: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const wanted = yield* Queue.sliding<void>(1)
    const listener = () => void wanted.unsafeOffer(undefined)
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on(signal, listener)),
      () => Effect.sync(() => process.off(signal, listener))
    )
    yield* daemon(`workers.${signal}`, Effect.succeed(Effect.zipRight(wanted.take, run)), backoff)
  })

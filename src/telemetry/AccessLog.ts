import { Context, Effect, Layer } from "effect"

/** One answered request. Paths come without their query, which may hold anything. */
export interface AccessEntry {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** From the first byte of the request to the first byte of the answer, in ms. */
  readonly millis: number
  /** The key's public id; undefined before authentication. */
  readonly key: string | undefined
}

/** Where requests are logged: a plain call, so that the hot path pays for a string and nothing else. */
export class AccessLog extends Context.Tag("gateway/telemetry/AccessLog")<
  AccessLog,
  { readonly record: (entry: AccessEntry) => void }
>() {
  /** Lines to standard output, written together ten times a second: words on a terminal, JSON elsewhere. */
  static readonly Stdout = Layer.scoped(
    AccessLog,
    Effect.gen(function* () {
      const render = process.stdout.isTTY ? words : line
      let lines = ""
      let timer: ReturnType<typeof setTimeout> | undefined
      const flush = () => {
        timer = undefined
        process.stdout.write(lines)
        lines = ""
      }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearTimeout(timer)
          flush()
        })
      )
      return {
        record: (entry) => {
          lines += `${render(entry)}\n`
          timer ??= setTimeout(flush, 100)
        }
      }
    })
  )

  static readonly Off = Layer.succeed(AccessLog, { record: () => {} })
}

const words = (entry: AccessEntry) =>
  `${entry.status} ${entry.method} ${entry.path} ${entry.millis.toFixed(1)}ms ${entry.requestId}`

/** JSON by hand, at a third of the price: but for the path, nothing in it is anybody else's. */
const line = ({ key, method, millis, path, requestId, status }: AccessEntry) =>
  `{"requestId":"${requestId}","method":"${method}","path":${isPlain.test(path) ? `"${path}"` : JSON.stringify(path)},"status":${status},"millis":${thousandths(millis)}${key === undefined ? "" : `,"key":"${key}"`}}`

const isPlain = /^[\w/.-]*$/

/** `12.034`: integers are written many times faster than fractions. */
const thousandths = (value: number): string => {
  const whole = Math.floor(value)
  const rest = Math.floor((value - whole) * 1_000)
  return `${whole}.${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}`
}

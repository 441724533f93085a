import { Cause, Effect, FiberRef, HashMap, Inspectable, Layer, Logger, Option } from "effect"
import { leastLevel, Logging, nameOf } from "./Logging.ts"
import { StandardOutput } from "./StandardOutput.ts"

/** The `event` of messages without one. */
const anyEvent = "gateway"

/** The gateway's own messages as JSON lines, with their annotations as fields. Fibers and spans are left out. */
const line = Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of HashMap.entries(annotations)) fields[name] = value
  const { event = anyEvent, ...rest } = fields
  const text = Array.isArray(message) ? message.map(show).join(" ") : show(message)
  const why = Cause.isEmpty(cause) ? {} : { cause: Cause.pretty(cause, { renderErrorCause: true }) }
  return safely({ time: date.toISOString(), level: nameOf(logLevel), event, message: text, ...rest, ...why })
})

/** The same messages for people: `12:00:01 WARN a call to an upstream failed upstream=anthropic status=503`. */
const words = Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
  const text = Array.isArray(message) ? message.map(show).join(" ") : show(message)
  const fields = [...HashMap.entries(annotations)].map(([name, value]) => ` ${name}=${inWords(value)}`).join("")
  const why = Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`
  return `${date.toISOString().slice(11, 19)} ${nameOf(logLevel).toUpperCase()} ${text}${fields}${why}`
})

const show = (part: unknown): string => (typeof part === "string" ? part : Inspectable.toStringUnknown(part, 0))

const inWords = (value: unknown): string => {
  const text = show(value)
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

/** Falls back to strings for values that JSON can't hold. */
const safely = (fields: Readonly<Record<string, unknown>>): string => {
  try {
    return JSON.stringify(fields)
  } catch {
    return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, show(value)])))
  }
}

/** Sends the gateway's own messages to the output at hand. */
export const LogTo = Layer.unwrapEffect(
  Effect.gen(function* () {
    const output = yield* StandardOutput
    const logging = yield* Logging
    const forMachines = Logger.map(line, (text) => {
      output.tail.push(`${text}\n`)
      if (logging.format === "json") output.write(`${text}\n`, 1)
    })
    const forPeople = Logger.map(words, (text) => output.write(`${text}\n`, 1))
    return Layer.mergeAll(
      Logger.replace(
        Logger.defaultLogger,
        logging.format === "json" ? forMachines : Logger.zip(forMachines, forPeople)
      ),
      Logger.minimumLogLevel(leastLevel(logging)),
      // A fiber's failure belongs to its reader: at `debug`, each refused request would be "an unhandled error".
      Layer.scopedDiscard(Effect.locallyScoped(FiberRef.unhandledErrorLogLevel, Option.none()))
    )
  })
)

/** Sends the gateway's own messages to the same output as request lines. */
export const LogToOutput = Layer.provide(LogTo, StandardOutput.Default)

import { Cause, Effect, HashMap, Inspectable, Layer, Logger } from "effect"
import { leastLevel, Logging, nameOf } from "./Logging.ts"
import { StandardOutput } from "./StandardOutput.ts"

/** What is no event with a name of its own. */
const anyEvent = "gateway"

/**
 * The gateway's own messages, in the format of all lines. Their fields are what they are annotated with, `event` among
 * them; what only code knows (fibers, spans) stays out.
 */
const line = Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of HashMap.entries(annotations)) fields[name] = value
  const { event = anyEvent, ...rest } = fields
  const said = Array.isArray(message) ? message.map(shown).join(" ") : shown(message)
  const why = Cause.isEmpty(cause) ? {} : { cause: Cause.pretty(cause, { renderErrorCause: true }) }
  return safely({ time: date.toISOString(), level: nameOf(logLevel), event, message: said, ...rest, ...why })
})

/** The same for people: `12:00:01 WARN a call to an upstream failed upstream=anthropic status=503`. */
const words = Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
  const said = Array.isArray(message) ? message.map(shown).join(" ") : shown(message)
  const fields = [...HashMap.entries(annotations)].map(([name, value]) => ` ${name}=${inWords(value)}`).join("")
  const why = Cause.isEmpty(cause) ? "" : `\n${Cause.pretty(cause, { renderErrorCause: true })}`
  return `${date.toISOString().slice(11, 19)} ${nameOf(logLevel).toUpperCase()} ${said}${fields}${why}`
})

const shown = (part: unknown): string => (typeof part === "string" ? part : Inspectable.toStringUnknown(part, 0))

const inWords = (value: unknown): string => {
  const text = shown(value)
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

/** Whatever is in it, it is a line. */
const safely = (fields: Readonly<Record<string, unknown>>): string => {
  try {
    return JSON.stringify(fields)
  } catch {
    return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)])))
  }
}

/** The gateway's own messages go where its requests' lines go. */
export const LogToOutput = Layer.unwrapEffect(
  Effect.gen(function* () {
    const output = yield* StandardOutput
    const logging = yield* Logging
    const kept = Logger.map(line, (text) => {
      output.tail.push(`${text}\n`)
      if (logging.format === "json") output.write(`${text}\n`, 1)
    })
    const forPeople = Logger.map(words, (text) => output.write(`${text}\n`, 1))
    return Layer.merge(
      Logger.replace(Logger.defaultLogger, logging.format === "json" ? kept : Logger.zip(kept, forPeople)),
      Logger.minimumLogLevel(leastLevel(logging))
    )
  })
).pipe(Layer.provide(StandardOutput.Default))

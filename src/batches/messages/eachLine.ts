import { Effect } from "effect"
import { InvalidRequest, TooLarge } from "../../contract/failures/Failure.ts"
import { toInvalidRequest } from "../../contract/failures/invalidRequests.ts"
import { isJsonObject } from "../../contract/fields.ts"
import type { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { ListReader } from "../../contract/json/ListReader.ts"
import { jsonDecoder } from "../../contract/jsonDecoder.ts"
import { parseLine } from "../parseLine.ts"
import { mostLines } from "../storeLines.ts"
import type { GivenLine } from "../storeLines.ts"
import { MessageLine } from "./Api.ts"

/** The bytes of a request's body, and of what is beside the requests. */
const bounds = { elementBytes: 32 * 1024 * 1024, frameBytes: 4 * 1024 * 1024 }

type Refused = InvalidRequest | TooLarge

/** Gives each request of a body to a function, in order. Fails with the first mistake. */
export const eachLine = <E>(
  { body, long }: Incoming,
  take: (line: GivenLine) => Effect.Effect<unknown, E>
): Effect.Effect<void, E | Refused> =>
  Effect.gen(function* () {
    const check = makeCheck()
    const taken = (value: unknown) => Effect.flatMap(check(value), take)
    if (long === undefined) {
      const given = isJsonObject(body) ? body["requests"] : undefined
      yield* Effect.forEach(Array.isArray(given) ? given : [], taken, { discard: true })
    } else yield* eachOfFile(long, (text) => Effect.flatMap(parsed(text, check.count()), taken))
    if (check.count() === 0) return yield* refusal("requests", "expected at least one request")
  })

const eachOfFile = Effect.fnUntraced(function* <E>(
  file: UploadedFile,
  take: (text: string) => Effect.Effect<unknown, E>
): Effect.fn.Return<void, E | Refused> {
  const reader = new ListReader("requests", bounds)
  const read = file.open()
  let count = 0
  for (let chunk = yield* Effect.promise(read); chunk !== undefined; chunk = yield* Effect.promise(read)) {
    const texts = reader.push(chunk)
    if (texts === "frame") {
      const message = `The request body has more than ${bounds.frameBytes} bytes beside its requests`
      return yield* new TooLarge({ message })
    }
    if (texts === "element") {
      return yield* new TooLarge({ message: `requests[${count}]: is larger than ${bounds.elementBytes} bytes` })
    }
    count += texts.length
    yield* Effect.forEach(texts, take, { discard: true })
  }
  const frame = parseLine(reader.frame)
  if (frame instanceof InvalidRequest) {
    return yield* new InvalidRequest({ param: null, message: `The request body ${frame.message}` })
  }
  const { value } = frame
  if (!isJsonObject(value)) {
    return yield* new InvalidRequest({ param: null, message: "The request body must be a JSON object" })
  }
  if (!Array.isArray(value["requests"])) {
    return yield* refusal("requests", `${"requests" in value ? "expected" : "is required; expected"} a list`)
  }
})

const parsed = (text: string, place: number): Effect.Effect<unknown, InvalidRequest> => {
  const line = parseLine(text)
  return line instanceof InvalidRequest ? refusal(`requests[${place}]`, line.message) : Effect.succeed(line.value)
}

/** Checks requests one after the other: their shape, and that each has a name of its own. */
const makeCheck = () => {
  const names = new Set<string>()
  const check = (value: unknown): Effect.Effect<GivenLine, InvalidRequest> => {
    const at = `requests[${names.size}]`
    if (names.size >= mostLines) return refusal("requests", `expected at most ${mostLines} requests`)
    return Effect.flatMap(
      Effect.mapError(decodeLine(value), ({ message, param }) =>
        param === null || param === ""
          ? new InvalidRequest({ param: at, message: `${at}: expected an object` })
          : new InvalidRequest({ param: `${at}.${param}`, message: `${at}.${message}` })
      ),
      ({ custom_id, params }) => {
        if (names.has(custom_id)) {
          return refusal(`${at}.custom_id`, `another request has the name ${JSON.stringify(custom_id)}`)
        }
        for (const name of ["stream", "async"]) {
          if (params[name] === true)
            return refusal(`${at}.params.${name}`, "expected false: results are read as a whole")
        }
        names.add(custom_id)
        return Effect.succeed({ customId: custom_id, body: params })
      }
    )
  }
  return Object.assign(check, { count: () => names.size })
}

const decodeLine = toInvalidRequest(jsonDecoder(MessageLine))

const refusal = (param: string, rule: string) =>
  Effect.fail(new InvalidRequest({ param, message: `${param}: ${rule}` }))

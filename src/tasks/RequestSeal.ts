import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { MasterSecret } from "../access/MasterSecret.ts"
import { makeSeal } from "../access/sealed.ts"
import { parseExactly } from "../contract/json/exactJson.ts"
import { nextTurn } from "../flow/eventLoop.ts"

const mark = "sealed:"
/** Characters sealed at once: about 2 ms. Larger requests are sealed in turns of the event loop. */
const most = 256 * 1024

/** For gateways without a master secret, whose tasks don't outlive the process. */
const ofThisProcess = Redacted.make(new Uint8Array(randomBytes(32)))

interface RequestSealing {
  /** Encrypts the JSON of a task's request. */
  readonly seal: (id: string, request: unknown) => Effect.Effect<string>
  /**
   * The request. Dies for a text that another secret sealed, or another task; the message has nothing of it. An older
   * gateway's text is plain JSON.
   */
  readonly open: (id: string, text: string) => Effect.Effect<unknown>
}

/**
 * Encrypts stored requests of tasks, because they hold what callers entrust: tokens of tools, signed links. The key is
 * derived from the master secret, which is not in the database.
 */
export class RequestSeal extends Context.Reference<RequestSeal>()("gateway/tasks/RequestSeal", {
  defaultValue: (): RequestSealing => makeSealing(ofThisProcess)
}) {
  static readonly Default = Layer.effect(
    RequestSeal,
    Effect.map(MasterSecret, ({ derive }) => makeSealing(derive("tasks/requests")))
  )
}

const makeSealing = (key: Redacted.Redacted<Uint8Array>): RequestSealing => {
  const sealer = makeSeal(key)
  /** A piece opens only at its place in its request. */
  const about = (id: string, place: number, count: number) => `${id} ${place} ${count}`

  const opened = (id: string, piece: string, place: number, count: number): Effect.Effect<string> =>
    Effect.suspend(() => {
      const text = sealer.open(piece, about(id, place, count))
      return text === undefined ? Effect.dieMessage(unreadable) : Effect.succeed(text)
    })

  return {
    seal: (id, request) => {
      const json = JSON.stringify(request)
      if (json.length <= most) return Effect.sync(() => mark + sealer.seal(json, about(id, 0, 1)))
      const pieces = piecesOf(json)
      const sealed = inTurns(pieces, (piece, place) =>
        Effect.sync(() => sealer.seal(piece, about(id, place, pieces.length)))
      )
      return Effect.map(sealed, (all) => mark + all.join("."))
    },
    open: (id, text) => {
      if (!text.startsWith(mark)) return parse(text)
      const pieces = text.slice(mark.length).split(".")
      const [first = ""] = pieces
      if (pieces.length === 1) return Effect.flatMap(opened(id, first, 0, 1), parse)
      const all = inTurns(pieces, (piece, place) => opened(id, piece, place, pieces.length))
      return Effect.flatMap(all, (texts) => parse(texts.join("")))
    }
  }
}

const unreadable = "the stored request of a task can't be opened: was GATEWAY_SECRET changed?"

const parse = (json: string): Effect.Effect<unknown> =>
  Effect.catchAll(
    Effect.try(() => parseExactly(json)),
    () => Effect.dieMessage(unreadable)
  )

const inTurns = <A>(pieces: ReadonlyArray<string>, each: (piece: string, place: number) => Effect.Effect<A>) =>
  Effect.forEach(pieces, (piece, place) => Effect.zipLeft(each(piece, place), Effect.promise(nextTurn)))

/** Cut between characters, not within a surrogate pair. */
const piecesOf = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0; at < text.length;) {
    const last = text.charCodeAt(at + most - 1)
    const end = at + most + (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

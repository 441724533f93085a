import { Effect, Exit, Option, Scope } from "effect"
import { NotFound, UpstreamFailed } from "../../contract/failures/Failure.ts"
import { makeReadFile } from "../../files/readFile.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import { notCalled } from "../../upstreams/videos/videoFiles.ts"

const patience = { connectMs: 10_000, idleMs: 30_000 }

/** Answers a request for a finished video with its bytes, from the gateway's files or from its upstream's address. */
export const makeContent = Effect.gen(function* () {
  const readFile = yield* makeReadFile
  const guard = yield* AddressGuard

  const fetched = Effect.fnUntraced(function* (url: string, headers: Headers) {
    const range = headers.get("range")?.trim()
    const scope = yield* Scope.make()
    const opening = guard.open(url, patience, isRange(range) ? { range } : {})
    const answer = yield* Scope.extend(opening, scope).pipe(
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      Effect.mapError((error) =>
        "setting" in error && error.setting !== undefined
          ? new NotFound({
              param: null,
              message: `The gateway can't read the video's file: ${notCalled(error.setting)}`
            })
          : new UpstreamFailed({ message: `The video's file can't be read: ${error.reason}` })
      )
    )
    const close = () => Effect.runFork(Scope.close(scope, Exit.void))
    if (![200, 206, 416].includes(answer.status)) {
      close()
      return yield* [403, 404, 410].includes(answer.status)
        ? gone
        : new UpstreamFailed({ message: `The video's file can't be read: status ${answer.status}` })
    }
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const chunk = await answer.read()
          if (chunk !== undefined) return controller.enqueue(chunk)
          controller.close()
        } catch (cause) {
          controller.error(cause)
        }
        close()
      },
      cancel: () => void close()
    })
    return new Response(body, {
      status: answer.status,
      headers: {
        "content-type": typeOf(answer.mediaType),
        "accept-ranges": "bytes",
        "cache-control": "private, max-age=3600",
        "x-content-type-options": "nosniff",
        ...(answer.length !== undefined && { "content-length": String(answer.length) }),
        ...(answer.contentRange !== undefined && { "content-range": answer.contentRange })
      }
    })
  })

  return Effect.fnUntraced(function* (url: string, headers: Headers) {
    const [, id, name] = own.exec(URL.parse(url)?.pathname ?? "") ?? []
    const file = id === undefined || name === undefined ? Option.none() : yield* readFile(id, name, headers)
    return Option.isSome(file) ? file.value : yield* fetched(url, headers)
  })
})

/** The gateway's own links (`filesPath`). Their ids can't be guessed, so another service's address is never one. */
const own = /^\/files\/([\w-]+)\/(\w+\.\w+)$/

/** A page of another service would run as one of the gateway's. */
const typeOf = (mediaType = ""): string => (/^video\/[\w.+-]{1,40}$/i.test(mediaType) ? mediaType : "video/mp4")

const isRange = (range: string | undefined): range is string =>
  range !== undefined && /^bytes=\d{0,15}-\d{0,15}$/.test(range)

const gone = new NotFound({ param: null, message: "The video's file is no longer at its upstream" })

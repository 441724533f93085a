import { Data, Effect } from "effect"
import type { Scope } from "effect"
import { readImage } from "../contract/bodies/readImage.ts"
import type { ImageInfo } from "../contract/bodies/readImage.ts"
import type { Download, Patience } from "./download.ts"
import { HeldBytes } from "./HeldBytes.ts"
import { makeShares } from "./shares.ts"

/** A file that was fetched. Its type is the one that its bytes show. */
export interface CallerFile {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf"
  /** In base64. */
  readonly data: string
}

/** A file that could not be fetched. The reason is safe to show to the caller. */
export class FileUnread extends Data.TaggedError("FileUnread")<{
  readonly address: string
  readonly reason: string
  /** True if the operator's proxy or the process itself is the cause. */
  readonly isOurs: boolean
}> {}

/** The request that the files belong to. */
interface FileRequest {
  readonly account: string
  /** The object that stands for the request. */
  readonly request: object
}

/** Reads images and PDFs at callers' addresses. */
export interface CallerFiles {
  /** The files at these addresses. Each is fetched once for a request, until it is forgotten. */
  readonly read: (
    of: FileRequest,
    addresses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, CallerFile>, FileUnread>
  /** An upstream got the request: its files are no longer needed. */
  readonly forget: (request: object) => void
}

type Open = (
  written: string,
  patience: Patience
) => Effect.Effect<Download, { readonly reason: string; readonly isOurs?: boolean }, Scope.Scope>

/** Bytes of one file, and of all files of a request: in base64 as many as a body may have. */
const mebi = 1_048_576
export const mostBytes = 20 * mebi
export const mostOfAll = 24 * mebi
/** Bytes of files that requests have, until an upstream got them: of each account and of all. */
const heldBytes = { each: 256 * mebi, all: 1_024 * mebi }
/** Addresses of a request. */
export const mostFiles = 100
/** Files that are read at a time. */
const ofRequest = 4
export const filesAtOnce = { ofAll: 64, ofEach: 8 } as const

const patience = { connectMs: 5_000, idleMs: 10_000 }
/** For all files of a request, in seconds. */
const mostSeconds = 30

/** @param open opens a download at an address once it is checked, and after redirects to others that are checked too */
export const makeCallerFiles = (open: Open, mostHeld = heldBytes): CallerFiles => {
  const requests = new WeakMap<object, RequestFiles>()
  const shares = makeShares(filesAtOnce)
  const held = new HeldBytes(mostHeld)

  const filesOf = (request: object): RequestFiles => {
    const known = requests.get(request)
    if (known !== undefined) return known
    const files = new RequestFiles()
    requests.set(request, files)
    return files
  }

  const readOne = Effect.fnUntraced(function* (address: string, files: RequestFiles, of: FileRequest) {
    const unread = (reason: string) => new FileUnread({ address, reason, isOurs: false })
    const answer = yield* Effect.mapError(
      open(address, patience),
      ({ isOurs = false, reason }) => new FileUnread({ address, reason, isOurs })
    )
    if (answer.status !== 200) return yield* unread(`expected the address to answer 200; got ${answer.status}`)
    const chunks: Array<Uint8Array> = []
    let size = 0
    for (;;) {
      const chunk = yield* Effect.tryPromise({
        try: answer.read,
        catch: () => unread(`the download broke off, or stood still for ${patience.idleMs / 1_000} s`)
      })
      if (chunk === undefined) break
      size += chunk.length
      files.bytes += chunk.length
      if (size > mostBytes) return yield* unread(`expected at most ${mostBytes} bytes`)
      if (files.bytes > mostOfAll) return yield* unread(`expected at most ${mostOfAll} bytes in all files`)
      if (!held.more(of, chunk.length)) {
        return yield* new FileUnread({ address, reason: "requests hold too many bytes of files", isOurs: true })
      }
      chunks.push(chunk)
    }
    const bytes = Buffer.concat(chunks)
    const mediaType = typeOf(bytes)
    if (mediaType === undefined) return yield* unread("expected a PNG, JPEG, GIF or WebP image or a PDF there")
    files.found.set(address, { mediaType, data: bytes.toString("base64") })
  }, Effect.scoped)

  const read: CallerFiles["read"] = (of, addresses) =>
    Effect.suspend(() => {
      const files = filesOf(of.request)
      const [first = ""] = addresses
      const all = new Set(addresses)
      const unread = (reason: string) => new FileUnread({ address: first, reason, isOurs: false })
      if (all.size > mostFiles) return unread(`expected at most ${mostFiles} addresses in a request; got ${all.size}`)
      const missing = Effect.suspend(() =>
        Effect.forEach(
          [...all].filter((address) => !files.found.has(address)),
          (address) => shares.within(of.account, readOne(address, files, of)),
          { concurrency: ofRequest, discard: true }
        )
      )
      // Another route, or another answer to the same request, waits and finds them.
      return files.turn
        .withPermits(1)(missing)
        .pipe(
          Effect.timeoutFail({
            duration: `${mostSeconds} seconds`,
            onTimeout: () => unread(`the request's files did not arrive within ${mostSeconds} s`)
          }),
          Effect.onError(() => Effect.sync(() => forget(of.request))),
          Effect.as(files.found)
        )
    })

  const forget = (request: object): void => {
    requests.delete(request)
    held.release(request)
  }

  return { read, forget }
}

class RequestFiles {
  readonly found = new Map<string, CallerFile>()
  readonly turn = Effect.unsafeMakeSemaphore(1)
  bytes = 0
}

const imageTypes = {
  PNG: "image/png",
  JPEG: "image/jpeg",
  GIF: "image/gif",
  WebP: "image/webp"
} as const satisfies Readonly<Record<ImageInfo["type"], string>>

const typeOf = (bytes: Uint8Array): CallerFile["mediaType"] | undefined => {
  const image = readImage(bytes)
  if (image !== undefined) return imageTypes[image.type]
  return Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-" ? "application/pdf" : undefined
}

import { S3Client } from "bun"
import { Effect, Option, Redacted } from "effect"
import type { BucketPlace } from "../config/filesPlace.ts"
import { checked } from "./checked.ts"
import type { Checked, Incoming } from "./checked.ts"
import { FilesUnavailable } from "./Files.ts"
import type { Files, StoredFile } from "./Files.ts"
import { NotKept } from "./NotKept.ts"

/** How long anything but a file's own bytes may take. */
const patience = "20 seconds"

/** Files as objects of a bucket, and what a probe says of it. */
interface Bucket {
  readonly files: Files
  /** Why the bucket can't be used, for good; undefined where it can, or where nobody can tell. */
  readonly refusal: Effect.Effect<string | undefined>
}

/** A bucket of S3, or of what speaks its protocol. */
export const makeBucket = (place: BucketPlace): Bucket => {
  const client = new S3Client(optionsOf(place))
  const name = `s3://${place.bucket}${place.prefix === "" ? "" : `/${place.prefix}`}`
  const keyOf = (key: string) => (place.prefix === "" ? key : `${place.prefix}/${key}`)

  const ask = <A>(run: () => Promise<A>): Effect.Effect<A, FilesUnavailable> =>
    Effect.tryPromise({ try: run, catch: (cause) => unavailable(name, cause) }).pipe(
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => new FilesUnavailable({ message: `${name}: no answer within ${patience}` })
      })
    )

  const find = (key: string): Effect.Effect<Option.Option<StoredFile>, FilesUnavailable> =>
    ask(async () => {
      const found = await unlessMissing(client.stat(keyOf(key)))
      return found === undefined
        ? Option.none()
        : Option.some({
            size: found.size,
            modifiedMs: found.lastModified.getTime(),
            // The object itself as a `Response` would be a redirect to the bucket, which callers can't reach.
            part: (first: number, last: number) =>
              client
                .file(keyOf(key))
                .slice(first, last + 1)
                .stream()
          })
    })

  const remove = (key: string) => ask(() => client.delete(keyOf(key)))

  const write = (key: string, incoming: Incoming) =>
    Effect.tryPromise({
      try: async (signal) => {
        const whole = await checked(incoming)
        // A writer that is ended with an error completes the object; a body that fails leaves none.
        await client.write(keyOf(key), new Response(streamOf(whole, signal)), { type: typeOf(key) })
        return whole.length()
      },
      catch: (cause) => (cause instanceof NotKept ? cause : unavailable(name, cause))
    }).pipe(Effect.tap((length) => mustHave(key, length)))

  /** What was sent is what is there. */
  const mustHave = (key: string, length: number) =>
    Effect.flatMap(find(key), (found) =>
      Option.exists(found, ({ size }) => size === length)
        ? Effect.void
        : Effect.zipRight(
            remove(key),
            new FilesUnavailable({ message: `${name}: ${length} bytes were sent of a file and are not there` })
          )
    )

  const older = (room: string, beforeMs: number) =>
    ask(async () => {
      const keys: Array<string> = []
      const prefix = keyOf(`${room}/`)
      for (let after: string | undefined; ;) {
        const page = await client.list({ prefix, ...(after !== undefined && { startAfter: after }) })
        for (const { key, lastModified = "" } of page.contents ?? []) {
          if (Date.parse(lastModified) < beforeMs) keys.push(`${room}/${key.slice(prefix.length)}`)
        }
        after = page.contents?.at(-1)?.key
        if (page.isTruncated !== true || after === undefined) return keys
      }
    })

  const refusal = Effect.promise(() =>
    client.list({ prefix: keyOf(""), maxKeys: 1 }).then(
      () => undefined,
      (cause: unknown) => refusals[codeOf(cause)]
    )
  ).pipe(Effect.timeoutTo({ duration: patience, onTimeout: () => undefined, onSuccess: (refused) => refused }))

  return { files: { place: name, isAway: () => false, find, write, remove, older }, refusal }
}

/** Pulled piece by piece, so that no more is in memory than a part of the upload. */
const streamOf = ({ read }: Checked, signal: AbortSignal): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason), { once: true }),
    pull: async (controller) => {
      const bytes = await read()
      if (bytes === undefined) controller.close()
      else controller.enqueue(bytes)
    }
  })

const optionsOf = (place: BucketPlace) => ({
  bucket: place.bucket,
  region: place.region,
  endpoint: endpointOf(place),
  virtualHostedStyle: !place.pathStyle,
  accessKeyId: Redacted.value(place.accessKeyId),
  secretAccessKey: Redacted.value(place.secretAccessKey),
  ...(place.sessionToken !== undefined && { sessionToken: Redacted.value(place.sessionToken) })
})

/** With the bucket in front of its name where that is the style: Bun reads it from there. */
const endpointOf = ({ bucket, endpoint, pathStyle }: BucketPlace): string => {
  if (pathStyle) return endpoint
  const url = new URL(endpoint)
  url.host = `${bucket}.${url.host}`
  return url.href.replace(/\/$/, "")
}

const typeOf = (key: string): string => Bun.file(key).type

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const unavailable = (name: string, cause: unknown) =>
  new FilesUnavailable({ message: `${name}: ${codeOf(cause)} ${cause instanceof Error ? cause.message : ""}`.trim() })

const unlessMissing = <A>(found: Promise<A>): Promise<A | undefined> =>
  found.catch((cause: unknown) => {
    if (codeOf(cause) === "NoSuchKey" || codeOf(cause) === "NotFound") return undefined
    throw cause
  })

/** What no later try would change. */
const refusals: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket; the gateway makes none",
  AccessDenied: "its keys may not list it (AccessDenied)",
  InvalidAccessKeyId: "it knows no such access key",
  SignatureDoesNotMatch: "its secret key is wrong"
}

import { S3Client } from "bun"
import { Effect, Option, Redacted } from "effect"
import type { AwsCredentialIdentity } from "@smithy/types"
import type { BucketPlace } from "../config/filesPlace.ts"
import { NoCredentials } from "../credentials/Auth.ts"
import type { AwsSettings } from "../credentials/awsCredentials.ts"
import type { Renewed } from "../credentials/Renewed.ts"
import { renewedAws } from "../credentials/renewedAws.ts"
import type { Source } from "../credentials/Source.ts"
import { checkFile } from "./checkFile.ts"
import type { Checked, Incoming } from "./checkFile.ts"
import { FilesUnavailable } from "./Files.ts"
import type { Files, StoredFile } from "./Files.ts"
import { NotKept } from "./NotKept.ts"

/** Timeout of calls that transfer no file. */
const patience = "20 seconds"

/** Files as objects of a bucket. */
interface Bucket {
  readonly files: Files
  /** Probes the bucket: a permanent error, or undefined if it works or does not answer. */
  readonly refusal: Effect.Effect<string | undefined>
}

/** Stores files in a bucket of S3 or a compatible server. */
export const makeBucket = (place: BucketPlace, source: Source): Effect.Effect<Bucket> =>
  Effect.map(renewedAws(credentialsOf(place), source), ({ get, ...credentials }) =>
    bucketWith(place, { ...credentials, get: Effect.filterOrFail(get, hasItsOwnToken(source.env), () => strayToken) })
  )

const bucketWith = (place: BucketPlace, credentials: Renewed<AwsCredentialIdentity>): Bucket => {
  const name = `s3://${place.bucket}${place.prefix === "" ? "" : `/${place.prefix}`}`
  const keyOf = (key: string) => (place.prefix === "" ? key : `${place.prefix}/${key}`)

  const clients = new WeakMap<AwsCredentialIdentity, S3Client>()
  const clientOf = (identity: AwsCredentialIdentity) => {
    const client = clients.get(identity) ?? new S3Client(optionsOf(place, identity))
    clients.set(identity, client)
    return client
  }

  /** Runs a call once more if its credentials were refused and there are others. */
  const call = <A>(
    run: (client: S3Client, signal: AbortSignal) => Promise<A>,
    mayRepeat = true
  ): Effect.Effect<A, unknown> =>
    Effect.flatMap(credentials.get, (identity) =>
      Effect.catchAll(
        Effect.tryPromise((signal) => run(clientOf(identity), signal)),
        ({ error: cause }) =>
          !mayBeCredentials(cause)
            ? Effect.fail(cause)
            : Effect.flatMap(credentials.refused(identity), (hasOthers) =>
                hasOthers && mayRepeat ? call(run, false) : Effect.fail(cause)
              )
      )
    )

  const ask = <A>(run: (client: S3Client) => Promise<A>): Effect.Effect<A, FilesUnavailable> =>
    Effect.mapError(call(run), (cause) => unavailable(name, cause)).pipe(
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => new FilesUnavailable({ message: `${name}: no answer within ${patience}` })
      })
    )

  const find = (key: string): Effect.Effect<Option.Option<StoredFile>, FilesUnavailable> =>
    ask(async (client) => {
      const stat = await unlessMissing(client.stat(keyOf(key)))
      return stat === undefined
        ? Option.none()
        : Option.some({
            size: stat.size,
            modifiedMs: stat.lastModified.getTime(),
            // A `Response` of the S3 file itself would redirect to the bucket, which callers can't reach.
            part: (first: number, last: number) =>
              client
                .file(keyOf(key))
                .slice(first, last + 1)
                .stream()
          })
    })

  const remove = (key: string) => ask((client) => client.delete(keyOf(key)))

  const write = (key: string, incoming: Incoming) =>
    // The source can be read once only.
    call(async (client, signal) => {
      const whole = await checkFile(incoming)
      // Ending a Bun S3 writer with an error still completes the object; a failing body does not.
      await client.write(keyOf(key), new Response(streamOf(whole, signal)), { type: typeOf(key) })
      return whole.length()
    }, false).pipe(
      Effect.mapError((cause) => (cause instanceof NotKept ? cause : unavailable(name, cause))),
      Effect.tap((length) => mustHave(key, length))
    )

  /** Checks the stored length; deletes the object if it differs. */
  const mustHave = (key: string, length: number) =>
    Effect.flatMap(find(key), (found) =>
      Option.exists(found, ({ size }) => size === length)
        ? Effect.void
        : Effect.zipRight(
            remove(key),
            new FilesUnavailable({ message: `${name}: a file of ${length} bytes was sent but is not stored` })
          )
    )

  const older = (room: string, beforeMs: number) =>
    ask(async (client) => {
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

  const refusal = Effect.match(
    call((client) => client.list({ prefix: keyOf(""), maxKeys: 1 })),
    {
      onFailure: (cause) => cause,
      onSuccess: () => undefined
    }
  ).pipe(
    Effect.flatMap((cause) => {
      if (!(cause instanceof NoCredentials)) return Effect.succeed(refusals[codeOf(cause)])
      if (cause.isOutage !== true) return Effect.succeed(cause.message)
      return Effect.as(Effect.logWarning(`files: ${name}: ${cause.message}; the gateway tries again`), undefined)
    }),
    Effect.timeoutTo({ duration: patience, onTimeout: () => undefined, onSuccess: (refused) => refused })
  )

  return { files: { place: name, isAway: () => false, find, write, remove, older }, refusal }
}

/** Pulls chunks on demand, so that memory holds only one part of the upload. */
const streamOf = ({ read }: Checked, signal: AbortSignal): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason), { once: true }),
    pull: async (controller) => {
      const bytes = await read()
      if (bytes === undefined) controller.close()
      else controller.enqueue(bytes)
    }
  })

const credentialsOf = ({ keys, profile, region, roleArn }: BucketPlace): AwsSettings => ({
  region,
  profile,
  roleArn,
  fixed: keys && {
    accessKeyId: Redacted.value(keys.accessKeyId),
    secretAccessKey: Redacted.value(keys.secretAccessKey),
    ...(keys.sessionToken && { sessionToken: Redacted.value(keys.sessionToken) })
  }
})

/** Bun adds a session token of the environment to keys without one, also to those that it does not belong to. */
const hasItsOwnToken =
  (env: Source["env"]) =>
  ({ sessionToken }: AwsCredentialIdentity): boolean =>
    sessionToken !== undefined || tokenVariables.every((name) => (env[name] ?? "") === "")

const tokenVariables = ["S3_SESSION_TOKEN", "AWS_SESSION_TOKEN"]

const strayToken = new NoCredentials({
  message: `its keys have no session token, but the environment has one of others: unset ${tokenVariables.join(" and ")}`
})

const optionsOf = (place: BucketPlace, { accessKeyId, secretAccessKey, sessionToken }: AwsCredentialIdentity) => ({
  bucket: place.bucket,
  region: place.region,
  endpoint: endpointOf(place),
  virtualHostedStyle: !place.pathStyle,
  accessKeyId,
  secretAccessKey,
  ...(sessionToken !== undefined && { sessionToken })
})

/** Adds the bucket to the host name for virtual-hosted style, as Bun expects. */
const endpointOf = ({ bucket, endpoint, pathStyle }: BucketPlace): string => {
  if (pathStyle) return endpoint
  const url = new URL(endpoint)
  url.host = `${bucket}.${url.host}`
  return url.href.replace(/\/$/, "")
}

const typeOf = (key: string): string => Bun.file(key).type

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const unavailable = (name: string, cause: unknown) => {
  const words = [codeOf(cause), cause instanceof Error ? cause.message : ""].filter((word) => word !== "")
  return new FilesUnavailable({ message: `${name}: ${words.join(" ")}` })
}

const unlessMissing = <A>(call: Promise<A>): Promise<A | undefined> =>
  call.catch((cause: unknown) => {
    if (codeOf(cause) === "NoSuchKey" || codeOf(cause) === "NotFound") return undefined
    throw cause
  })

/** `UnknownError`: an answer without a body, as `HEAD` gets it. */
const ofCredentials: ReadonlySet<string> = new Set([
  "ExpiredToken",
  "InvalidToken",
  "InvalidAccessKeyId",
  "TokenRefreshRequired",
  "AccessDenied",
  "UnknownError"
])

const mayBeCredentials = (cause: unknown): boolean => ofCredentials.has(codeOf(cause))

/** Permanent errors. */
const refusals: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket; the gateway does not create it",
  AccessDenied: "its keys may not list it (AccessDenied)",
  InvalidAccessKeyId: "it knows no such access key",
  ExpiredToken: "the session token has ended",
  InvalidToken: "it does not know the session token",
  SignatureDoesNotMatch: "its secret key is wrong"
}

import { Cause, Effect } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { Internal, InvalidRequest } from "../../contract/failures/Failure.ts"
import { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import { filesPath } from "../../files/Api.ts"
import { KeptFiles } from "../../files/KeptFiles.ts"
import type { ContentPart, MediaRole } from "../CreateVideoTask.ts"
import { mostBytes } from "../mediaAddress.ts"
import type { CreateOpenAIVideo, Reference } from "./CreateOpenAIVideo.ts"
import { mediaTypeOf } from "./mediaTypeOf.ts"

const param = "input_reference"

/** A task has 64 parts, one of which is the prompt. */
const mostReferences = 63

/** Images and audios of one create, in bytes: what a JSON body of 64 MiB carries. They are held in memory as base64. */
const mostEncoded = 48 * 1024 * 1024

/** Bytes of a file that a create is checked with: enough for an image's size, unless a long Exif block precedes it. */
const tellingBytes = 3_000

/** An input with its address. */
interface Media {
  readonly kind: "image" | "video" | "audio"
  readonly url: string
}

/** An input before it is read: of an image or audio in a form, the address holds the beginning alone. */
interface Input {
  readonly media: Media
  /** Reads or stores a file. */
  readonly whole: Effect.Effect<Media, InvalidRequest | Internal>
}

/** A file that was stored for a create, by the parts of its link. */
interface Stored {
  readonly id: string
  readonly name: string
}

/** The files of one create so far. */
interface Inputs {
  readonly stored: Array<Stored>
  encodedBytes: number
}

/**
 * Runs a create with the parts of a task for its inputs. Images and audios of a form become data URIs, which every
 * upstream can read; a video is stored and served at a link, because upstreams fetch videos. Before that, a form with
 * files is checked with their beginnings alone: a refusal is free, and could fill the memory and the disk. If the create
 * fails all the same, its files are removed.
 */
export const makeReferences = Effect.gen(function* () {
  const keptFiles = yield* KeptFiles
  const publicUrl = yield* PublicUrl

  /** An input that is checked for what is known of it: its kind and its size. */
  const looked = Effect.fnUntraced(function* (
    reference: Reference,
    inputs: Inputs
  ): Effect.fn.Return<Input, InvalidRequest | Internal> {
    if (!(reference instanceof UploadedFile)) {
      const media = addressOf(reference)
      return { media, whole: Effect.succeed(media) }
    }
    const mediaType = yield* Effect.promise(() => mediaTypeOf(reference))
    const kind = kindOf(mediaType)
    if (kind === undefined) return yield* refuse("expected an image, a video or an audio file")
    if (kind === "video") {
      const id = keptFiles.idOf("upload", crypto.randomUUID())
      const name = `reference.${extensions[mediaType] ?? "mp4"}`
      const media = { kind, url: `${yield* publicUrl.get}${filesPath}/${id}/${name}` }
      return { media, whole: Effect.as(stored(reference, { id, name }, inputs.stored), media) }
    }
    const most = mostBytes(kind)
    if (reference.bytes > most) return yield* refuse(`expected an ${kind} of at most ${most / 1_000_000} MB`)
    inputs.encodedBytes += reference.bytes
    if (inputs.encodedBytes > mostEncoded) {
      return yield* refuse(`expected images and audios of at most ${mostEncoded} bytes in all`)
    }
    const mediaOf = (bytes: Buffer): Media => ({ kind, url: `data:${mediaType};base64,${bytes.toString("base64")}` })
    const first = yield* Effect.promise(() => reference.open()())
    const media = mediaOf(Buffer.from(first ?? []).subarray(0, tellingBytes))
    return {
      media,
      whole: Effect.map(
        Effect.promise(() => reference.read()),
        mediaOf
      )
    }
  })

  /** Stores a video, which its link serves as long as the gateway's other links. */
  const stored = Effect.fnUntraced(function* (file: UploadedFile, place: Stored, files: Array<Stored>) {
    files.push(place)
    yield* keptFiles.keep(place.id, place.name, file.open()).pipe(
      Effect.catchTags({
        NotKept: ({ message, why }) =>
          why === "no-room"
            ? Effect.zipRight(Effect.logWarning("an uploaded video was not stored", message), new Internal({}))
            : refuse(message),
        FilesUnavailable: ({ message }) =>
          Effect.zipRight(Effect.logWarning("an uploaded video was not stored", message), new Internal({}))
      })
    )
  })

  const remove = (files: ReadonlyArray<Stored>) =>
    Effect.forEach(files, ({ id, name }) =>
      Effect.catchAll(keptFiles.remove(id, name), ({ message }) =>
        Effect.logWarning("an uploaded video was not removed", message)
      )
    )

  return <A, E, R, E2, R2>(
    given: CreateOpenAIVideo["input_reference"],
    check: (references: ReadonlyArray<ContentPart>) => Effect.Effect<unknown, E2, R2>,
    create: (references: ReadonlyArray<ContentPart>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | E2 | InvalidRequest | Internal, R | R2> =>
    Effect.suspend(() => {
      const references = listOf(given)
      if (references.length > mostReferences) return refuse(`expected at most ${mostReferences} inputs`)
      const inputs: Inputs = { stored: [], encodedBytes: 0 }
      const hasFiles = references.some((one) => one instanceof UploadedFile)
      return Effect.forEach(references, (one) => looked(one, inputs)).pipe(
        Effect.tap((looks) => (hasFiles ? check(partsOf(looks.map(({ media }) => media))) : Effect.void)),
        Effect.flatMap((looks) => Effect.forEach(looks, ({ whole }) => whole)),
        Effect.onInterrupt(() => remove(inputs.stored)),
        Effect.flatMap((media) => create(partsOf(media))),
        // An interrupted create may have stored its task.
        Effect.tapErrorCause((cause) => (Cause.isInterrupted(cause) ? Effect.void : remove(inputs.stored)))
      )
    })
})

/** The parts for inputs that are addresses. Files come in forms alone. */
export const linkParts = (given: CreateOpenAIVideo["input_reference"]): ReadonlyArray<ContentPart> =>
  partsOf(listOf(given).flatMap((one) => (one instanceof UploadedFile ? [] : [addressOf(one)])))

const addressOf = (reference: Exclude<Reference, UploadedFile>): Media => ({
  kind: "image",
  url: typeof reference === "string" ? reference : reference.image_url
})

const partsOf = (media: ReadonlyArray<Media>): ReadonlyArray<ContentPart> =>
  media.map(media.length === 1 ? alone : asReference)

const listOf = (given: CreateOpenAIVideo["input_reference"]): ReadonlyArray<Reference> => {
  if (given === undefined || given === null) return []
  return isList(given) ? given : [given]
}

const isList = (given: Reference | ReadonlyArray<Reference>): given is ReadonlyArray<Reference> => Array.isArray(given)

const kindOf = (mediaType: string): Media["kind"] | undefined => {
  const [kind] = mediaType.split("/")
  return kind === "image" || kind === "video" || kind === "audio" ? kind : undefined
}

const extensions: Readonly<Record<string, string>> = { "video/webm": "webm", "video/quicktime": "mov" }

/** One image is the first frame. */
const alone = (media: Media): ContentPart => (media.kind === "image" ? part(media) : asReference(media))

const asReference = (media: Media): ContentPart => part(media, `reference_${media.kind}`)

const part = ({ kind, url }: Media, role?: MediaRole): ContentPart => {
  const roles = role === undefined ? {} : { role }
  switch (kind) {
    case "image":
      return { type: "image_url", image_url: { url }, ...roles }
    case "video":
      return { type: "video_url", video_url: { url }, ...roles }
    case "audio":
      return { type: "audio_url", audio_url: { url }, ...roles }
  }
}

const refuse = (rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

import { Cause, Effect } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { Internal, InvalidRequest } from "../../contract/Failure.ts"
import { UploadedFile } from "../../contract/UploadedFile.ts"
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

/** An input with its address. */
interface Media {
  readonly kind: "image" | "video" | "audio"
  readonly url: string
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
 * upstream can read; a video is stored and served at a link, because upstreams fetch videos. If the create fails, its
 * files are removed: a refusal is free, and could fill the disk.
 */
export const makeReferences = Effect.gen(function* () {
  const keptFiles = yield* KeptFiles
  const publicUrl = yield* PublicUrl

  const uploaded = Effect.fnUntraced(function* (
    file: UploadedFile,
    inputs: Inputs
  ): Effect.fn.Return<Media, InvalidRequest | Internal> {
    const mediaType = yield* Effect.promise(() => mediaTypeOf(file))
    const kind = kindOf(mediaType)
    if (kind === undefined) return yield* refuse("expected an image, a video or an audio file")
    if (kind === "video") return { kind, url: yield* stored(file, mediaType, inputs.stored) }
    const most = mostBytes(kind)
    if (file.bytes > most) return yield* refuse(`expected an ${kind} of at most ${most / 1_000_000} MB`)
    inputs.encodedBytes += file.bytes
    if (inputs.encodedBytes > mostEncoded) {
      return yield* refuse(`expected images and audios of at most ${mostEncoded} bytes in all`)
    }
    const bytes = yield* Effect.promise(() => file.read())
    return { kind, url: `data:${mediaType};base64,${bytes.toString("base64")}` }
  })

  /** The link to a video, which works as long as the gateway's other links. */
  const stored = Effect.fnUntraced(function* (file: UploadedFile, mediaType: string, files: Array<Stored>) {
    const id = keptFiles.idOf("upload", crypto.randomUUID())
    const name = `reference.${extensions[mediaType] ?? "mp4"}`
    files.push({ id, name })
    yield* keptFiles.keep(id, name, file.open()).pipe(
      Effect.catchTags({
        NotKept: ({ message, why }) =>
          why === "no-room"
            ? Effect.zipRight(Effect.logWarning("an uploaded video was not stored", message), new Internal({}))
            : refuse(message),
        FilesUnavailable: ({ message }) =>
          Effect.zipRight(Effect.logWarning("an uploaded video was not stored", message), new Internal({}))
      })
    )
    return `${yield* publicUrl.get}${filesPath}/${id}/${name}`
  })

  const read = (reference: Reference, inputs: Inputs) =>
    reference instanceof UploadedFile ? uploaded(reference, inputs) : Effect.succeed(addressed(reference))

  const removed = (files: ReadonlyArray<Stored>) =>
    Effect.forEach(files, ({ id, name }) =>
      Effect.catchAll(keptFiles.remove(id, name), ({ message }) =>
        Effect.logWarning("an uploaded video was not removed", message)
      )
    )

  return <A, E, R>(
    given: CreateOpenAIVideo["input_reference"],
    create: (references: ReadonlyArray<ContentPart>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | InvalidRequest | Internal, R> =>
    Effect.suspend(() => {
      const references = listOf(given)
      if (references.length > mostReferences) return refuse(`expected at most ${mostReferences} inputs`)
      const inputs: Inputs = { stored: [], encodedBytes: 0 }
      return Effect.forEach(references, (one) => read(one, inputs)).pipe(
        Effect.onInterrupt(() => removed(inputs.stored)),
        Effect.flatMap((media) => create(partsOf(media))),
        // An interrupted create may have stored its task.
        Effect.tapErrorCause((cause) => (Cause.isInterrupted(cause) ? Effect.void : removed(inputs.stored)))
      )
    })
})

/** The parts for inputs that are addresses. Files come in forms alone. */
export const linked = (given: CreateOpenAIVideo["input_reference"]): ReadonlyArray<ContentPart> =>
  partsOf(listOf(given).flatMap((one) => (one instanceof UploadedFile ? [] : [addressed(one)])))

const addressed = (reference: Exclude<Reference, UploadedFile>): Media => ({
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

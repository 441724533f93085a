import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readContent } from "../../src/videos/content.ts"
import type { VideoLimits } from "../../src/videos/bounds.ts"
import { audio, image, limits, request, text, video } from "./requests.ts"

const read = (content: ReadonlyArray<unknown>, more: Partial<VideoLimits> = {}) =>
  Either.mapLeft(readContent(request({ content }).content, { ...limits, ...more }), ({ message }) => message)
const roles = (content: ReadonlyArray<unknown>) =>
  Either.map(read(content), ({ media }) => media.map(({ role }) => role))

const many = (count: number, part: unknown) => Array.from({ length: count }, () => part)

describe("what the parts of a request make together", () => {
  it("takes each of the four scenarios", () => {
    expect(roles([text("a cat")])).toEqual(Either.right([]))
    expect(roles([text("a cat"), image("first_frame")])).toEqual(Either.right(["first_frame"]))
    expect(roles([image("last_frame"), image("first_frame")])).toEqual(Either.right(["last_frame", "first_frame"]))
    const references = [...many(9, image("reference_image")), ...many(3, video("reference_video")), ...many(3, audio())]
    expect(Either.isRight(read([text("a cat"), ...references]))).toBe(true)
  })

  it("gives a part without a role the role of its type", () => {
    expect(roles([image()])).toEqual(Either.right(["first_frame"]))
    expect(roles([video(), audio()])).toEqual(Either.right(["reference_video", "reference_audio"]))
  })

  it("joins nothing and drops nothing: texts come out in order", () => {
    expect(Either.map(read([text("one"), image(), text("two")]), ({ texts }) => texts)).toEqual(
      Either.right(["one", "two"])
    )
  })

  it.each<[string, ReadonlyArray<unknown>, string]>([
    [
      "a frame beside a reference",
      [image("first_frame"), image("reference_image")],
      "content: first/last frame content cannot be mixed with reference media content"
    ],
    [
      "a frame beside a reference audio",
      [image(), audio()],
      "content: first/last frame content cannot be mixed with reference media content"
    ],
    ["a last frame alone", [image("last_frame")], "content[0].role: a last_frame needs a first_frame beside it"],
    [
      "two images without roles",
      [text("a"), image(), image()],
      "content[1].role: required with more than one image: expected one of first_frame, last_frame, reference_image"
    ],
    [
      "two images, one without a role",
      [image("first_frame"), image()],
      "content[1].role: required with more than one image: expected one of first_frame, last_frame, reference_image"
    ],
    [
      "two first frames",
      [image("first_frame"), image("first_frame")],
      "content[1].role: expected at most one first_frame"
    ],
    [
      "a role of another type",
      [image("reference_video")],
      'content[0].role: expected one of first_frame, last_frame, reference_image for a part of type image_url; got "reference_video"'
    ],
    [
      "a video as a frame",
      [video("first_frame")],
      'content[0].role: expected reference_video for a part of type video_url; got "first_frame"'
    ],
    [
      "ten reference images",
      many(10, image("reference_image")),
      "content[9]: expected at most 9 parts with role reference_image for seedance"
    ],
    [
      "four reference videos",
      many(4, video()),
      "content[3]: expected at most 3 parts with role reference_video for seedance"
    ],
    [
      "four reference audios",
      [video(), ...many(4, audio())],
      "content[4]: expected at most 3 parts with role reference_audio for seedance"
    ],
    [
      "audio alone",
      [text("a"), audio()],
      "content[1]: expected at least one image or video part beside the audio for seedance"
    ],
    ["only blank text", [text("  ")], "content: expected a text part with a prompt, or an image or video part"],
    [
      "a draft task",
      [{ type: "draft_task", draft_task: { id: "cgt-1" } }],
      "content[0].type: this model takes no draft_task; expected one of text, image_url, video_url, audio_url"
    ]
  ])("refuses %s", (_, content, message) => {
    expect(read(content)).toEqual(Either.left(message))
  })

  it("keeps to the model's own counts", () => {
    const large = { references: { images: 30, videos: 10, audios: 10 }, audioAlone: true }
    const references = [...many(30, image("reference_image")), ...many(10, video()), ...many(10, audio())]
    expect(Either.isRight(read(references, large))).toBe(true)
    expect(read([...references, audio()], large)).toEqual(
      Either.left("content[50]: expected at most 10 parts with role reference_audio for seedance")
    )
    expect(Either.isRight(read([audio()], large))).toBe(true)
    const none = { references: { images: 0, videos: 0, audios: 0 } }
    expect(read([image("reference_image")], none)).toEqual(
      Either.left("content[0]: expected no parts with role reference_image for seedance")
    )
    const both = [image("first_frame"), image("last_frame")]
    expect(read(both, { frameImages: 1 })).toEqual(Either.left("content[1]: expected a first_frame alone for seedance"))
    expect(read([image()], { frameImages: 0 })).toEqual(
      Either.left("content[0]: expected no frame images for seedance")
    )
  })

  it("hands draft tasks and asset addresses to an upstream that knows them", () => {
    const content = [{ type: "draft_task", draft_task: { id: "cgt-1" } }, image("first_frame", "asset://a-1")]
    expect(Either.isRight(read(content, { isPassthrough: true }))).toBe(true)
    expect(Either.isLeft(read([image("first_frame", "asset://a-1")]))).toBe(true)
  })
})

describe("addresses of inputs", () => {
  const data = "AAAA"
  it.each([
    image("first_frame", `data:image/png;base64,${data}`),
    image("first_frame", `data:image/HEIC;base64,${data}==`),
    image("first_frame", "HTTP://example.com/a")
  ])("takes %j", (part) => {
    expect(Either.isRight(read([part]))).toBe(true)
  })
  it("takes wav and mp3 as data", () => {
    for (const type of ["wav", "mp3", "mpeg"]) {
      expect(Either.isRight(read([video(), audio(undefined, `data:audio/${type};base64,${data}`)])), type).toBe(true)
    }
  })
  it.each([
    [image("first_frame", `data:image/png,${data}`)],
    [image("first_frame", `data:image/svg+xml;base64,${data}`)],
    [image("first_frame", "data:image/png;base64,")],
    [image("first_frame", "data:image/png;base64,not base64")],
    [image("first_frame", `data:audio/wav;base64,${data}`)],
    [image("first_frame", "file:///etc/passwd")],
    [image("first_frame", "a.png")],
    [image("first_frame", `data:image/png;base64,${"A".repeat(40_000_004)}`)],
    [video(undefined, `data:video/mp4;base64,${data}`)],
    [video(), audio(undefined, `data:audio/ogg;base64,${data}`)],
    [video(), audio(undefined, `data:audio/wav;base64,${"A".repeat(20_000_004)}`)]
  ])("refuses %#", (...parts) => {
    expect(Either.isLeft(read(parts))).toBe(true)
  })
})

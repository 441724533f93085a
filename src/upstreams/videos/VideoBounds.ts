import { Struct } from "effect"

/** The bounds of a video model, as plain data: checks, defaults, holds and the model lists all read it. */
export interface VideoBounds {
  /** Its lengths in whole seconds, ascending. */
  readonly seconds: ReadonlyArray<number>
  /** The length of a request without one; -1 if the model then chooses. */
  readonly defaultSeconds: number
  /** True if the model can choose a length itself (`duration: -1`). Otherwise the gateway picks one of `seconds`. */
  readonly choosesSeconds: boolean
  /** The most references of each kind. */
  readonly references: VideoReferences
  /** True if references may be audio alone. */
  readonly audioAlone: boolean
  /** The most frame images: 0 for none, 1 for `first_frame`, 2 for `last_frame` too. */
  readonly frameImages: 0 | 1 | 2
  /** The most seconds of all input videos together that are billed. */
  readonly inputVideoSeconds: number
  readonly ratios: ReadonlyArray<string>
  readonly resolutions: ReadonlyArray<string>
  /** The sound of its videos: as requested, or one of both. */
  readonly sound: VideoSound
  /** The inputs that it makes no video without; `text` if a prompt is enough. */
  readonly needs: VideoInputs
  /** The combinations for which less holds; all that match a video count. */
  readonly narrower: ReadonlyArray<NarrowerBounds>
  /** Pixels by resolution and ratio, where they differ from the usual ones. */
  readonly sizes: Readonly<Record<string, Readonly<Record<string, readonly [width: number, height: number]>>>>
}

export type VideoSound = "asked" | "always" | "never"

/** The inputs of a video beside its prompt. `last_frame` stands for both frames. */
export const videoInputs = ["text", "first_frame", "last_frame", "references"] as const
export type VideoInputs = (typeof videoInputs)[number]

/** Bounds of the videos of these resolutions and these inputs, in place of the model's. */
export interface NarrowerBounds extends Partial<Pick<VideoBounds, "seconds" | "resolutions" | "ratios" | "sound">> {
  /** Any if absent. */
  readonly at?: ReadonlyArray<string>
  /** Any if absent. */
  readonly from?: ReadonlyArray<VideoInputs>
}

export interface VideoReferences {
  readonly images: number
  readonly videos: number
  readonly audios: number
}

/** Some of the bounds, as a protocol, a row of the table or the configuration gives them. */
export interface SomeVideoBounds extends Partial<Omit<VideoBounds, "references">> {
  readonly references?: Partial<VideoReferences>
}

/** Every length from one to another, in whole seconds. */
export const secondsFrom = (least: number, most: number): ReadonlyArray<number> =>
  Array.from({ length: most - least + 1 }, (_, index) => least + index)

/** The specification's bounds (A1), which are those of Seedance 2.0. They hold where nothing else is known. */
export const usualVideoBounds: VideoBounds = {
  seconds: secondsFrom(4, 15),
  defaultSeconds: 5,
  choosesSeconds: false,
  references: { images: 9, videos: 3, audios: 3 },
  audioAlone: false,
  frameImages: 2,
  inputVideoSeconds: 15,
  ratios: ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"],
  resolutions: ["480p", "720p", "1080p"],
  sound: "asked",
  needs: "text",
  narrower: [],
  sizes: {}
}

/** The scenario that inputs form. */
export const inputsOf = (media: ReadonlyArray<{ readonly role: string }>): VideoInputs => {
  const has = (role: string) => media.some((one) => one.role === role)
  if (has("last_frame")) return "last_frame"
  if (has("first_frame")) return "first_frame"
  return media.length > 0 ? "references" : "text"
}

/**
 * The bounds of a model's videos of some inputs, and of a resolution once that is known. A default that the lengths lack
 * becomes the nearest length.
 */
export const narrowedTo = <Bounds extends VideoBounds>(
  bounds: Bounds,
  inputs: VideoInputs,
  resolution?: string
): Bounds => {
  let narrowed = bounds
  for (const { at, from, ...less } of bounds.narrower) {
    const applies =
      (at === undefined || (resolution !== undefined && at.includes(resolution))) &&
      (from === undefined || from.includes(inputs))
    if (applies) narrowed = { ...narrowed, ...less }
  }
  return withOwnDefault(narrowed)
}

/** Two parts as one; the second wins. Lengths that are given without exceptions hold for all videos. */
export const mergedBounds = (one: SomeVideoBounds | undefined, other: SomeVideoBounds): SomeVideoBounds => ({
  ...one,
  ...exceptionsLeft(one?.narrower, other),
  ...other,
  references: { ...one?.references, ...other.references }
})

/**
 * The specification's bounds with parts replaced; a later part wins. A default that the lengths lack becomes the nearest
 * length.
 */
export const boundedBy = (...parts: ReadonlyArray<SomeVideoBounds | undefined>): VideoBounds => {
  let bounds = usualVideoBounds
  for (const part of parts) {
    const left = exceptionsLeft(bounds.narrower, part)
    bounds = { ...bounds, ...left, ...part, references: { ...bounds.references, ...part?.references } }
  }
  return withOwnDefault(bounds)
}

const exceptionsLeft = (
  narrower: ReadonlyArray<NarrowerBounds> | undefined,
  over: SomeVideoBounds | undefined
): Pick<SomeVideoBounds, "narrower"> => {
  if (narrower === undefined || over?.seconds === undefined) return {}
  return { narrower: narrower.map((one) => Struct.omit(one, "seconds")) }
}

const withOwnDefault = <Bounds extends VideoBounds>(bounds: Bounds): Bounds => {
  const { defaultSeconds, seconds } = bounds
  return defaultSeconds === -1 ? bounds : { ...bounds, defaultSeconds: nearest(seconds, defaultSeconds) }
}

/** The longest video, in seconds. */
export const longestSeconds = ({ seconds }: Pick<VideoBounds, "seconds">): number => Math.max(...seconds)

const nearest = (offered: ReadonlyArray<number>, wanted: number): number =>
  offered.toSorted((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0] ?? wanted

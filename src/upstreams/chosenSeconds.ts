import type { VideoSettings } from "./VideoUpstream.ts"

const everyLength = Array.from({ length: 12 }, (_, index) => 4 + index)

/**
 * The length in seconds to request from an upstream that cannot choose one itself. An open length follows from the
 * seed, so that reconciliation finds the video by the same length.
 *
 * @param offered the lengths that the upstream renders; defaults to 4 to 15
 */
export const chosenSeconds = (
  { frames, isOpenLength, seed }: Pick<VideoSettings, "frames" | "isOpenLength" | "seed">,
  offered: ReadonlyArray<number> = everyLength
): number => (isOpenLength === true ? (offered[seed % offered.length] ?? frames / 24) : frames / 24)

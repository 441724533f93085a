import type { VideoSettings } from "./VideoUpstream.ts"

const everyLength = Array.from({ length: 12 }, (_, index) => 4 + index)

/**
 * The length in seconds that an upstream is asked for which does not choose one itself. An open length follows from the
 * seed, so that a video is asked for and found again by the same one.
 *
 * @param offered the lengths that the upstream makes; 4 to 15 where absent
 */
export const chosenSeconds = (
  { frames, isOpenLength, seed }: Pick<VideoSettings, "frames" | "isOpenLength" | "seed">,
  offered: ReadonlyArray<number> = everyLength
): number => (isOpenLength === true ? (offered[seed % offered.length] ?? frames / 24) : frames / 24)

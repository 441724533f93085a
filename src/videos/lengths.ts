import type { VideoUpstream } from "../upstreams/VideoUpstream.ts"
import type { VideoLimits } from "./resolve.ts"

/** Seedance 2.5, by its provider's ids (`dreamina-seedance-2-5-260628`) and by usual names. */
const seedance25 = /seedance[-_. ]?(?:v|pro-)?2[-_.]5(?!\d)/i

/**
 * The length that an upstream's model chooses itself, and whether that is the default.
 *
 * @param names the model's id at the upstream and at the gateway
 */
export const openLength = (
  { isPassthrough, seconds }: Pick<VideoUpstream, "isPassthrough" | "seconds">,
  names: ReadonlyArray<string>
): Pick<VideoLimits, "longestSeconds" | "choosesLength"> => {
  const is25 = isPassthrough && names.some((name) => seedance25.test(name))
  return { longestSeconds: is25 ? 30 : Math.max(...(seconds ?? [15])), choosesLength: is25 }
}

import type { Rivals } from "../tasks/TaskKind.ts"
import type { Task } from "../tasks/Task.ts"
import { hashOf, readFingerprint } from "../upstreams/videos/SubmitFingerprint.ts"
import type { SubmitFingerprint } from "../upstreams/videos/SubmitFingerprint.ts"
import type { VideoJob, VideoRivals, VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"

/** The fingerprint that is stored before a submit; undefined if the upstream has no list. */
export const fingerprintOf = (upstream: VideoUpstream | undefined, job: VideoJob): SubmitFingerprint | undefined =>
  upstream?.shownInList === undefined ? undefined : { shown: upstream.shownInList(job) }

/** The fingerprint of a submit that got no answer. The whole request is only hashed then: inputs may be large. */
export const unansweredOf = (
  upstream: VideoUpstream,
  { account }: Pick<Task, "account">,
  job: VideoJob
): SubmitFingerprint | undefined => {
  const shown = fingerprintOf(upstream, job)
  return shown && { ...shown, whole: wholeOf(account, job) }
}

/**
 * Two jobs with the same hash are the same request of the same account, so that either's video answers both. A seed
 * counts only if the caller gave it: ours differs in every task.
 */
const wholeOf = (account: string, { body, media, prompt, settings, upstreamModel }: VideoJob): string => {
  const { seed, ...others } = settings
  return hashOf(JSON.stringify([account, upstreamModel, prompt, media, others, body ?? seed]))
}

/** The engine's rivals with their fingerprints. */
export const rivalsOf = ({ unheard, ...others }: Rivals): VideoRivals => ({
  ...others,
  unheard: unheard.map((rival) => ({ ...rival, fingerprint: readFingerprint(rival.fingerprint) }))
})

import type { VideoJob } from "../../src/upstreams/videos/VideoUpstream.ts"

/** A small job; what is in it is the upstream's business. */
export const job: VideoJob = {
  taskId: "v",
  upstreamModel: "seed",
  prompt: "a cat",
  media: [],
  settings: {
    resolution: "480p",
    ratio: "16:9",
    width: 864,
    height: 496,
    frames: 96,
    byFrames: false,
    seed: 1,
    generateAudio: true,
    watermark: false,
    cameraFixed: false,
    returnLastFrame: false,
    draft: false,
    priority: 0,
    serviceTier: "default",
    webSearch: false
  },
  body: null,
  createdAtMs: 0,
  deadlineMs: 3_600_000
}

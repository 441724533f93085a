import type { VideoJob, VideoSettings } from "../../../src/upstreams/videos/VideoUpstream.ts"

export const settings = (over: Partial<VideoSettings> = {}): VideoSettings => ({
  resolution: "720p",
  ratio: "16:9",
  width: 1280,
  height: 720,
  frames: 96,
  byFrames: false,
  seed: 11,
  generateAudio: true,
  watermark: false,
  cameraFixed: false,
  returnLastFrame: false,
  draft: false,
  priority: 0,
  serviceTier: "default",
  webSearch: false,
  ...over
})

export const job = (over: Partial<VideoJob> = {}): VideoJob => ({
  taskId: "cgt-1",
  upstreamModel: "seedance",
  prompt: "a cat",
  media: [],
  settings: settings(),
  body: null,
  createdAtMs: Date.now(),
  deadlineMs: Date.now() + 3_600_000,
  ...over
})

import { secondsFrom } from "../../upstreams/videos/VideoBounds.ts"
import { byteplus, volcengine } from "../prices/pricePages.ts"
import { noReferences, yuan } from "./VideoModel.ts"
import type { VideoModel } from "./VideoModel.ts"

const oldLengths = { seconds: secondsFrom(2, 12), choosesSeconds: false, sound: "never" } as const

/** Seedance, at Ark and ModelArk. */
export const seedanceModels: ReadonlyArray<VideoModel> = [
  {
    named: /seedance[-_. ]?(?:v|pro-)?2[-_.]5(?!\d)/i,
    bounds: {
      seconds: secondsFrom(4, 30),
      defaultSeconds: -1,
      references: { images: 30, videos: 10, audios: 10 },
      audioAlone: true,
      // Not published: assumed to be as long as its longest video.
      inputVideoSeconds: 30
    },
    sales: [
      {
        ...volcengine,
        models: ["doubao-seedance-2-5"],
        usd: { output: { "480p": yuan(70), "720p": yuan(70), "1080p": yuan(77) } }
      },
      { ...byteplus, models: ["dreamina-seedance-2-5"], unpriced: "BytePlus' figure could not be read" }
    ]
  },
  {
    named: /seedance-2-0-fast/i,
    bounds: { resolutions: ["480p", "720p"] },
    sales: [
      {
        ...volcengine,
        models: ["doubao-seedance-2-0-fast"],
        usd: { output: yuan(37), with_video: { output: yuan(22) } }
      },
      { ...byteplus, models: ["dreamina-seedance-2-0-fast", "seedance-2-0-fast"], usd: { output: 5.6 } }
    ]
  },
  {
    named: /seedance-2-0-mini/i,
    bounds: { resolutions: ["480p", "720p"] },
    sales: [{ ...volcengine, models: ["doubao-seedance-2-0-mini"], usd: { output: yuan(23) } }]
  },
  {
    named: /doubao-seedance-2-0/i,
    bounds: { resolutions: ["480p", "720p", "1080p", "4k"] },
    sales: [
      {
        ...volcengine,
        models: ["doubao-seedance-2-0"],
        usd: {
          output: { "480p": yuan(46), "720p": yuan(46), "1080p": yuan(51), "4k": yuan(26) },
          with_video: { output: { "480p": yuan(28), "720p": yuan(28), "1080p": yuan(51), "4k": yuan(26) } }
        }
      }
    ]
  },
  {
    named: /seedance-2-0/i,
    bounds: {},
    sales: [
      {
        ...byteplus,
        models: ["dreamina-seedance-2-0", "seedance-2-0"],
        usd: {
          output: { "480p": 7, "720p": 7 },
          with_video: { output: { "480p": 4.3, "720p": 4.3, "1080p": 7 } }
        }
      }
    ]
  },
  {
    named: /seedance-1-5/i,
    bounds: { ...noReferences, seconds: secondsFrom(4, 12) },
    sales: [
      {
        ...byteplus,
        models: ["seedance-1-5-pro"],
        usd: { output: 1.2, with_audio: { output: 2.4 }, flex: 0.5 }
      },
      {
        ...volcengine,
        models: ["doubao-seedance-1-5-pro"],
        usd: { output: 1.2, with_audio: { output: 2.4 }, flex: 0.5 }
      }
    ]
  },
  {
    named: /seedance-1-0-pro-fast/i,
    bounds: { ...noReferences, ...oldLengths, frameImages: 1 },
    sales: [
      {
        ...byteplus,
        models: ["seedance-1-0-pro-fast", "doubao-seedance-1-0-pro-fast"],
        unpriced: "its figure could not be read"
      }
    ]
  },
  {
    named: /seedance-1-0-pro/i,
    bounds: { ...noReferences, ...oldLengths },
    sales: [
      { ...byteplus, models: ["seedance-1-0-pro"], usd: { output: 2.5 } },
      { ...volcengine, models: ["doubao-seedance-1-0-pro"], usd: { output: 2.2 } }
    ]
  },
  {
    named: /seedance-1-0-lite-t2v/i,
    bounds: { ...noReferences, ...oldLengths, frameImages: 0 },
    sales: [
      { ...byteplus, models: ["seedance-1-0-lite-t2v"], usd: { output: 1.8 } },
      { ...volcengine, models: ["doubao-seedance-1-0-lite-t2v"], usd: { output: 1.5 } }
    ]
  },
  {
    named: /seedance-1-0-lite/i,
    bounds: {
      ...oldLengths,
      references: { images: 4, videos: 0, audios: 0 },
      needs: "first_frame",
      // References have no 1080p.
      narrower: [{ from: ["references"], resolutions: ["480p", "720p"] }]
    },
    sales: [
      { ...byteplus, models: ["seedance-1-0-lite-i2v"], usd: { output: 1.8 } },
      { ...volcengine, models: ["doubao-seedance-1-0-lite-i2v"], usd: { output: 1.5 } }
    ]
  }
]

import { elsewhereModels } from "./elsewhereModels.ts"
import { klingModels } from "./klingModels.ts"
import { minimaxModels } from "./minimaxModels.ts"
import { seedanceModels } from "./seedanceModels.ts"
import { soraModels } from "./soraModels.ts"
import { veoModels } from "./veoModels.ts"
import type { VideoModel } from "./VideoModel.ts"
import { wanModels } from "./wanModels.ts"

/** Every video model that is known. */
export const videoModels: ReadonlyArray<VideoModel> = [
  ...seedanceModels,
  ...soraModels,
  ...veoModels,
  ...klingModels,
  ...minimaxModels,
  ...wanModels,
  ...elsewhereModels
]

/** The model that an id names. */
export const videoModelNamed = (id: string): VideoModel | undefined => videoModels.find(({ named }) => named.test(id))

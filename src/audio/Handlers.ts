import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { AudioApi } from "./Api.ts"
import { speechFamily } from "./speechFamily.ts"
import { transcriptionFamily, translationFamily } from "./transcriptionFamilies.ts"

export const AudioHandlers = handlers(
  AudioApi,
  Effect.map(Pipeline, ({ answer }) => ({
    speech: answer(speechFamily),
    transcribe: answer(transcriptionFamily),
    translate: answer(translationFamily)
  }))
)

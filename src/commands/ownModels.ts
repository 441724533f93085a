import type { ModelEntry } from "../catalogue/Catalogue.ts"
import { sandboxModels } from "../sandbox/SandboxText.ts"
import { sandboxVideoModel } from "../sandbox/video/SandboxVideo.ts"

/** Built-in models, served with any configuration. */
export const ownModels: ReadonlyArray<ModelEntry> = [...sandboxModels, sandboxVideoModel]

import type { Model } from "../catalogue/Catalogue.ts"
import { sandboxModels } from "../sandbox/SandboxText.ts"
import { sandboxVideoModel } from "../sandbox/video/SandboxVideo.ts"

/** What a gateway serves as it is shipped, whatever its file says. */
export const ownModels: ReadonlyArray<Model> = [...sandboxModels, sandboxVideoModel]

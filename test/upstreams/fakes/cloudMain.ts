import { fakeAzure } from "./azure.ts"
import { fakeBedrock } from "./bedrock.ts"
import { fakeUpstream } from "./fakeUpstream.ts"
import { fakeVertexClaude } from "./vertexClaude.ts"

const clouds: Readonly<Record<string, () => { readonly url: string }>> = {
  azure: () => fakeAzure(),
  bedrock: () => fakeBedrock(),
  gemini: () => fakeUpstream("gemini", { strict: true }),
  vertex: fakeVertexClaude
}

/** A cloud in a process of its own, which says where it listens. */
console.log(clouds[process.argv[2] ?? ""]?.().url)

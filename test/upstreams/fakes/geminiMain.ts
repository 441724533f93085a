import { fakeUpstream } from "./fakeUpstream.ts"

/** Google's API and Vertex, in a process of their own that says where it listens. */
console.log(fakeUpstream("gemini", { strict: true }).url)

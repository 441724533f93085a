import { makeMachine, openWindow, readCode, say, toPrompt } from "./claude.ts"
import { expect } from "./expected.ts"
import type { Step } from "./scenarios.ts"
import type { SignInServer } from "./server.ts"

/** A first sign-in at a gateway that serves no model that the client knows, and says nothing of it. */
export const unconfiguredStep = (server: SignInServer): Step => ({
  name: "a first question with nothing configured",
  run: async () => {
    const at = makeMachine(server.url)
    const window = await openWindow(at)
    try {
      await server.approve(await readCode(window), "ann")
      await toPrompt(window, "ann@corp.test")
      await say(window, "hello")
      const asked = server.exchanges().filter(({ path }) => path.startsWith("/v1/messages"))
      // It leaves a field out that the fake upstream does not know.
      const refused = asked.filter(({ answer, status }) => status !== 200 && !answer.includes("safeguards"))
      expect(asked.length > 0 && refused.length === 0, "no refusal", refused)
      const named = new Set(asked.map(({ body }) => JSON.parse(body).model))
      expect(
        [...named].every((model) => String(model).startsWith("house-")),
        "models of the gateway's",
        [...named]
      )
    } finally {
      await window.stop()
      at.dispose()
    }
  }
})

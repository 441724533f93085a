import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { endOf, line, resultsOf, startBatches } from "./batchGateway.ts"
import type { BatchGateway } from "./batchGateway.ts"

const many = Array.from({ length: 60 }, (_, index) => line(`n${index}`, "[[sandbox: delay=1s]] Hi"))

describeOnEach("batches stop", (engine) => {
  let gateway: BatchGateway
  beforeAll(async () => {
    gateway = await startBatches(await gatewayEnv(`stops-${engine.name}`))
  })
  afterAll(() => gateway.dispose())

  /** The batch's task in the operator's API, once it has ended. */
  const endedTask = async (id: string) => {
    for (;;) {
      const task = await gateway.admin("GET", `/tasks/${id}`)
      if (task.ended_at !== null) return task
      await Bun.sleep(50)
    }
  }
  const keyOf = async (name: string): Promise<string> =>
    (await gateway.admin("GET", `/keys?account=${name}`)).data[0].id

  it("when the account is suspended: what has not begun says why", async () => {
    const client = gateway.anthropic("blocked")
    const made = await client.messages.batches.create({ requests: many })
    await Bun.sleep(300)
    await gateway.admin("POST", "/accounts/blocked/suspend")
    const task = await endedTask(made.id)
    expect(task.state).toBe("succeeded")
    await gateway.admin("POST", "/accounts/blocked/resume")
    const { request_counts: counts } = await endOf(client, made.id)
    expect(counts.succeeded + counts.errored).toBe(60)
    expect(counts.errored).toBeGreaterThan(20)
    const results = await resultsOf(client, made.id)
    expect(results["n59"]).toMatchObject({
      type: "errored",
      error: { error: { type: "authentication_error", message: "Invalid API key: its account is suspended" } }
    })
  })

  it("when the key is revoked", async () => {
    const client = gateway.anthropic("revoked")
    const made = await client.messages.batches.create({ requests: many })
    await Bun.sleep(300)
    await gateway.admin("POST", `/keys/${await keyOf("revoked")}/revoke`)
    const task = await endedTask(made.id)
    expect([task.state, task.held_usd]).toEqual(["succeeded", 0])
    await expect(client.messages.batches.retrieve(made.id)).rejects.toMatchObject({ status: 401 })
  })

  it("when an operator cancels the task", async () => {
    const client = gateway.anthropic("stopped")
    const made = await client.messages.batches.create({ requests: many })
    await Bun.sleep(300)
    const answer = await gateway.admin("POST", `/tasks/${made.id}/cancel`)
    expect(answer.status).toBe(200)
    const task = await endedTask(made.id)
    expect([task.kind, task.state]).toEqual(["batch", "cancelled"])
    const ended = await endOf(client, made.id)
    const { canceled, succeeded } = ended.request_counts
    expect([canceled + succeeded, ended.cancel_initiated_at !== null]).toEqual([60, true])
    expect(canceled).toBeGreaterThan(20)
  })

  it("an operator's cancellation loses no answer that had begun", async () => {
    const client = gateway.anthropic("stopped")
    await gateway.admin("POST", "/accounts/stopped/credit", { usd: 1, note: "test" })
    const late = line("late", "[[sandbox: delay=11s]] Hi", "paid")
    const { id } = await client.messages.batches.create({ requests: [late] })
    await Bun.sleep(500)
    expect((await gateway.admin("POST", `/tasks/${id}/cancel`)).status).toBe(200)
    const task = await endedTask(id)
    expect([task.state, task.cost_usd > 0, task.held_usd]).toEqual(["cancelled", true, 0])
    expect(await resultsOf(client, id)).toMatchObject({ late: { type: "succeeded" } })
  }, 60_000)

  it("and wait for the limits of their key", async () => {
    const client = gateway.anthropic("limited")
    const requests = ["a", "b", "c", "d"].map((name) => line(name, "[[sandbox: delay=100ms]] Hi"))
    const made = await client.messages.batches.create({ requests })
    const ended = await endOf(client, made.id)
    expect(ended.request_counts.succeeded).toBe(4)
  }, 60_000)
})

/** Creates a video, waits for it and answers the beginning of its file. */
export const renderClip = async (url: string, key: string): Promise<string> => {
  const tasks = `${url}/api/v3/contents/generations/tasks`
  const headers = { authorization: `Bearer ${key}` }
  const body = JSON.stringify({
    model: "sandbox-video",
    resolution: "480p",
    frames: 29,
    content: [{ type: "text", text: "a cat" }]
  })
  const { id } = (await (await fetch(tasks, { method: "POST", headers, body })).json()) as { id: string }
  for (let tries = 0; tries < 300; tries++) {
    const task = (await (await fetch(`${tasks}/${id}`, { headers })).json()) as {
      status: string
      content?: { video_url: string }
    }
    if (task.content !== undefined) return (await (await fetch(task.content.video_url)).text()).slice(0, 12)
    if (task.status === "failed") return JSON.stringify(task)
    await Bun.sleep(100)
  }
  return "no clip within 30 s"
}

/** A call as a fake tells it to the tests that run beside it. */
export const shownCall = (call: { readonly headers: Headers } | undefined): Response =>
  call === undefined
    ? Response.json({ error: "nothing was asked" }, { status: 404 })
    : Response.json({ ...call, headers: Object.fromEntries(call.headers) })

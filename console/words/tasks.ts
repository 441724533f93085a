export const tasks = {
  counted: (running: string, queued: string) => `${running} running · ${queued} queued`,
  search: "Search tasks",
  example: "An id, a model, an account",
  anyState: "Any state",
  anyKind: "Any kind",
  anyAccount: "Any account",
  states: {
    queued: "queued",
    running: "running",
    succeeded: "succeeded",
    failed: "failed",
    cancelled: "cancelled",
    expired: "expired"
  },
  kinds: { video: "video", message: "message", response: "response" },
  columns: {
    age: "Age",
    utc: "UTC",
    state: "State",
    model: "Model",
    task: "Task",
    key: "Account / key",
    upstream: "Upstream",
    took: "Took",
    cost: "Cost, USD",
    callbacks: "Callbacks"
  },
  callbacks: { waiting: "waiting", stuck: "stuck", delivered: "delivered", given_up: "given up" },
  chosenCallbacks: {
    stuck: "stuck or given up",
    given_up: "given up",
    waiting: "waiting",
    delivered: "delivered"
  },
  triedNow: "tried now",
  secondCallback: (state: string) => `callback ${state}`,
  percent: (progress: number) => `${progress} %`,
  anyCallback: "Any callback",
  held: (usd: string) => `${usd} held`,
  emptyTitle: "No tasks yet",
  empty:
    "Videos, background messages and background responses become tasks. This creates a four-second clip in the sandbox, free:",
  noMatch: (filter: string) =>
    ["No task of the last 30 days matches ", filter, ". Ended tasks are kept for 7 days."] as const,
  more: "Older tasks"
}

export const task = {
  repeat: "Repeat in playground",
  cancel: "Cancel task",
  cancelTitle: "Cancel this task?",
  cancelText: "It has not started: it is cancelled at its upstream, and nothing is charged. This can’t be undone.",
  cancelled: "The task is cancelled",
  remove: "Delete",
  facts: {
    took: "Took",
    asked: "Asked for",
    used: "Used",
    cost: "Cost",
    file: "File",
    task: "Task",
    request: "Request",
    upstream: "At the upstream",
    created: "Created",
    key: "Account / key",
    next: "Next run",
    tries: "Calls without an answer",
    holder: "Held by"
  },
  held: (usd: string) => `${usd} held, settled at its end`,
  notYet: "not yet",
  noneYet: "none yet",
  tokens: "tokens",
  requests: "See its requests",
  line: "Time line",
  accepted: "Accepted",
  acceptedFor: (who: string) => `for ${who}`,
  told: (state: string) => `Reported ${state}`,
  delivered: (took: string) => `callback delivered in ${took}`,
  submitted: (upstream: string) => `Submitted to ${upstream}`,
  submittedAs: (id: string) => `as ${id}`,
  claimed: "Claimed by a worker",
  started: "Running",
  settled: (usd: string) => `${usd} settled`,
  nextLook: (when: string) => `next run ${when}`,
  worked: "a process works on it now",
  ended: (state: string) => state[0]?.toUpperCase() + state.slice(1),
  deliveries: "Deliveries",
  states: {
    waiting: "waiting",
    pending: "pending",
    delivered: "delivered",
    failed: "failed",
    superseded: "superseded"
  },
  noAnswer: "no answer",
  nextTry: (when: string) => `Next try ${when}.`,
  givenUp: "Given up.",
  laterOne: "A later change replaced it before delivery.",
  redeliver: "Redeliver",
  sending: "Sending",
  sent: "Sent again",
  undelivered: (state: string) =>
    `No callback reported that it ${/^(queued|running|pending|processing)$/.test(state) ? "is " : ""}${state}.`,
  lastTry: (tries: number, answer: string) =>
    tries === 0
      ? "It was not tried, because the receiver wanted no more of this task."
      : `${tries === 1 ? "One try" : `${tries} tries`}, the last: ${answer}.`,
  noCallback: "It has no callback URL.",
  gone: "This task is no longer stored, or never existed.",
  video: "The video",
  elsewhere: "The file is at the upstream’s own address and is not loaded here.",
  open: "Open the file",
  download: "Download",
  expired: "The file’s link has expired."
}

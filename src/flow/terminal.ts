import { isatty } from "node:tty"

const hasTerminal = (): boolean => [0, 1, 2].some((descriptor) => isatty(descriptor))

const isFromTerminal = hasTerminal()

/** True once the terminal that started this process is closed, which SIGHUP tells its processes. */
export const isTerminalGone = (): boolean => isFromTerminal && !hasTerminal()

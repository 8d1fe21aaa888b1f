package peers;

import java.lang.management.ManagementFactory;

/** When a run ends that has not found the model. */
final class Limits {
    /** How often the time is looked at: asking for it takes as long as a short word. */
    private static final int EVERY = 256;

    private final double maxSeconds;
    private int checks;

    Limits(double maxSeconds) {
        this.maxSeconds = maxSeconds;
    }

    /** For the thread that learns. */
    void check(boolean tooManySymbols) {
        if (tooManySymbols) {
            throw new Reached("max-symbols");
        }
        if (++checks % EVERY == 0 && seconds(Thread.currentThread()) > maxSeconds) {
            throw new Reached("time-out");
        }
    }

    /** Processor time that a thread has taken, whatever else the machine does; collections are not in it. */
    static double seconds(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()) * 1e-9;
    }

    /** The run's outcome. */
    static final class Reached extends RuntimeException {
        private static final long serialVersionUID = 1;

        Reached(String outcome) {
            super(outcome, null, false, false);
        }
    }
}

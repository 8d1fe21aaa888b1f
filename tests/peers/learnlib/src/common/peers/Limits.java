package peers;

/** When a run ends that has not found the model. */
final class Limits {
    private final long deadline;

    Limits(double seconds) {
        this.deadline = System.nanoTime() + (long) (seconds * 1e9);
    }

    void check(boolean tooManySymbols) {
        if (tooManySymbols) {
            throw new Reached("max-symbols");
        }
        if (System.nanoTime() > deadline) {
            throw new Reached("time-out");
        }
    }

    /** The run's outcome. */
    static final class Reached extends RuntimeException {
        private static final long serialVersionUID = 1;

        Reached(String outcome) {
            super(outcome, null, false, false);
        }
    }
}

package peers;

/**
 * Words as a prefix tree, in arrays of numbers: small, quick, and of a known size, so that what a learner's figures say
 * is the learner's.
 */
final class Cache {
    /** Key and value in turn, by open addressing: {@code node * inputs + input + 1}, and the node after it. */
    private long[] keys = new long[1 << 10];
    private int[] nodes = new int[1 << 10];
    private final int inputs;
    private int edges;

    Cache(int inputs) {
        this.inputs = inputs;
    }

    /** The node after this input, or -1; the root is 0. */
    int after(int node, int input) {
        return nodes[slot(key(node, input))] - 1;
    }

    /** The node after this input, which is made if it is not there. */
    int add(int node, int input) {
        long key = key(node, input);
        int slot = slot(key);
        if (keys[slot] == 0) {
            if (2 * (edges + 1) > keys.length) {
                grow();
                slot = slot(key);
            }
            edges++;
            keys[slot] = key;
            nodes[slot] = edges + 1;
        }
        return nodes[slot] - 1;
    }

    long bytes() {
        return 12L * keys.length;
    }

    private long key(int node, int input) {
        return (long) node * inputs + input + 1;
    }

    private int slot(long key) {
        long mixed = key * 0x9e3779b97f4a7c15L;
        int slot = (int) (mixed >>> 32) & (keys.length - 1);
        while (keys[slot] != 0 && keys[slot] != key) {
            slot = slot + 1 & keys.length - 1;
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldNodes = nodes;
        keys = new long[2 * oldKeys.length];
        nodes = new int[keys.length];
        for (int at = 0; at < oldKeys.length; at++) {
            if (oldKeys[at] != 0) {
                int slot = slot(oldKeys[at]);
                keys[slot] = oldKeys[at];
                nodes[slot] = oldNodes[at];
            }
        }
    }
}

/* License. */
package org.example;

import java.util.List;
import static java.lang.Math.max;

/**
 * A shop.
 */
@Deprecated
@SuppressWarnings("unchecked")
public abstract class Shop<T extends Comparable<T>> extends Base implements Runnable {
    private static final int LIMIT = 3;
    private final Function<Integer, Integer> twice = x -> x * 2;

    static {
        System.out.println("up");
    }

    public Shop(int size) {
        super(size);
    }

    /** Opens. */
    @Override
    public <R> List<R> open(
            String name,
            int count) throws Exception {
        Runnable r = new Runnable() {
            @Override
            public void run() {
                close();
            }
        };
        return null;
    }

    abstract void close();

    enum Color {
        RED {
            @Override String label() { return "r"; }
        },
        GREEN;

        String label() { return "x"; }
    }

    interface Visitor {
        void visit(Shop shop);

        default int depth() { return 0; }
    }

    record Point(int x, int y) {
        Point {
            if (x < 0) throw new IllegalArgumentException();
        }
    }

    @interface Marker {
        String value() default "";
    }
}

class Other {}

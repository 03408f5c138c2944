<?php

declare(strict_types=1);

namespace App\Shop;

use App\Base;
use function strlen;

const LIMIT = 3;
define('OLD', 4);

/**
 * A cart.
 */
#[Attribute]
abstract class Cart extends Base implements \Countable
{
    use Loggable;

    public const SIZE = 3;
    private int $size = 0;

    public function __construct(
        private readonly string $name,
    ) {
    }

    /** Adds. */
    #[Pure]
    public static function add(Item $item): ?self
    {
        $twice = fn($x) => $x * 2;
        $later = function () use ($item) {
            return $item;
        };
        return new self($twice(1));
    }

    abstract protected function close(): void;

    public function count(): int { return 1; }
}

interface Shape
{
    public function area(): float;
}

trait Loggable
{
    public function log(string $text): void
    {
        echo $text;
    }
}

enum Suit: string
{
    case Hearts = 'h';

    public function label(): string
    {
        return 'x';
    }
}

function helper(array $items)
{
    return new class extends Cart {
        public function close(): void {}
    };
}
?>
<p>text</p>
<?php if (true): ?>
<?php function late() { ?>
  <b>x</b>
<?php } ?>

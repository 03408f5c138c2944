using System;
using System.Collections.Generic;

namespace Shop.Core
{
    /// <summary>A cart.</summary>
    [Serializable]
    [Obsolete("x")]
    public partial class Cart<T> : Base, IDisposable where T : class
    {
        private readonly int _size = 3;
        public const int Limit = 3;

        public event EventHandler Changed;

        public event EventHandler Custom
        {
            add { }
            remove { }
        }

        public int Size { get; private set; }

        public string Name => "x";

        public int this[int index]
        {
            get { return index; }
        }

        public Cart(int size) : base(size)
        {
        }

        ~Cart() { }

        /// <summary>Adds.</summary>
        public async Task<int> Add<TItem>(
            TItem item,
            int count)
        {
            int Twice(int x) => x * 2;
            return Twice(count);
        }

        public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;

        public static implicit operator int(Cart<T> cart) => 1;

        void IDisposable.Dispose() { }

        enum Color { Red, Green }

        struct Point
        {
            public int X;
        }

        interface IVisitor
        {
            void Visit();
        }
    }

    public record Person(string Name);

    public delegate void Callback(int x);
}

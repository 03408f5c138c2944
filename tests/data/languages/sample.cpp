#include <vector>
using namespace std;

namespace outer {
namespace inner::deep {

template <typename T, int N = 3>
class Box : public Base<T> {
public:
    explicit Box(int size);
    virtual ~Box() = default;
    Box& operator=(const Box& other);
    bool operator==(const Box& other) const { return true; }
    operator bool() const;
    template <typename U>
    U convert(const U& from) const
    {
        return from;
    }
    int* pointer();
    static constexpr int limit = 3;

    struct Nested {
        int x;
        void go();
    };

    enum class Color { Red, Green };

private:
    friend void helper(Box& box);
    int size_;
};

using Alias = Box<int>;

concept Small = sizeof(int) < 8;

template <class T>
void freestanding(T value) {
    auto twice = [](int x) { return x * 2; };
    twice(1);
}

}  // namespace inner::deep

int Plain::method(int a) const {
    return a;
}

template <typename T>
Holder<T>::Holder(T value) : value_(value) {
}

Plain::~Plain() {}

std::ostream& operator<<(std::ostream& out, const Plain& plain)
{
    return out;
}

const std::string& name() noexcept;

}  // namespace outer

extern "C" {
int c_api(int x);
}

struct Point { int x, y; };

auto trailing(int x) -> int {
    return x;
}

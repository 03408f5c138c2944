namespace Shop.Web;

public record struct Pair(int A, int B);

public class Page
{
    public void Show() { }
}

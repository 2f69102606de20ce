"""Everything can be done with the keyboard, and keys for other parts of the page are not handled."""

from playwright.sync_api import expect


def focus(page):
    """The focused element: its label, or its class."""
    return page.evaluate(
        """() => { const e = document.activeElement;
             return e.getAttribute('aria-label') || e.className || e.tagName; }"""
    )


def test_tab_follows_reading_order(orders_view):
    page = orders_view.page
    page.locator(".pqx[data-layout=pages]").wait_for()
    tops = []
    seen = []
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(focus(page))
        tops.append(
            page.evaluate(
                """document.activeElement.closest('section, header, nav, [role=separator]')
                     .getBoundingClientRect().top"""
            )
        )
    assert tops == sorted(tops)
    parts = ("Byte map", "Height of the byte map", "Outline", "pqx-tab", "The bytes of the file")
    for part in (*parts, "Bytes. ", "Height of the explorer"):
        assert any(name.startswith(part) for name in seen), part


def test_focusable_elements_keep_their_keys_from_jupyter(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0/pages/1")
    loose = view.page.evaluate(
        """() => [...document.querySelectorAll('.pqx *')]
             .filter((e) => e.tabIndex >= 0 && e.dataset.lmSuppressShortcuts !== 'true')
             .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert loose == []


def test_arrows_walk_through_the_map(orders_view):
    page = orders_view.page
    page.locator(".pqx[data-layout=pages]").wait_for()
    stage = page.get_by_role("slider", name="Byte map")
    stage.press("Home")
    orders_view.shown("magic")
    stage.press("ArrowRight")
    orders_view.shown("row_groups/0/columns/0/pages/0/header")
    stage.press("ArrowRight")
    orders_view.shown("row_groups/0/columns/0/pages/0")
    stage.press("ArrowRight")
    orders_view.shown("row_groups/0/columns/0/pages/1/header")
    stage.press("ArrowLeft")
    orders_view.shown("row_groups/0/columns/0/pages/0")
    stage.press("End")
    orders_view.shown("footer_magic")
    expect(stage).to_have_attribute("aria-valuetext", "closing magic, magic, 4 bytes at 8,621")


def test_plus_and_minus_zoom(orders_view):
    page = orders_view.page
    stage = page.get_by_role("slider", name="Byte map")
    whole = page.locator(".pqx-map .pqx-bar")
    expect(whole).to_contain_text("the whole file")
    stage.press("+")
    expect(whole).to_contain_text(" of 8,625")
    stage.press("0")
    expect(whole).to_contain_text("the whole file")


def test_the_wheel_zooms_with_control_only(orders_view):
    page = orders_view.page
    whole = page.locator(".pqx-map .pqx-bar")
    page.get_by_role("slider", name="Byte map").hover()
    page.mouse.wheel(0, -300)
    expect(whole).to_contain_text("the whole file")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(whole).to_contain_text(" of 8,625")


def test_the_outline_is_a_tree(orders_view):
    page = orders_view.page
    tree = page.get_by_role("tree")
    tree.focus()

    def active():
        return page.locator(f"[id='{tree.get_attribute('aria-activedescendant')}']")

    expect(active()).to_have_attribute("aria-level", "1")
    tree.press("ArrowDown")
    expect(active()).to_contain_text("magic")
    for _ in range(2):
        tree.press("ArrowDown")
    expect(active()).to_contain_text("row groups")
    expect(active()).to_have_attribute("aria-expanded", "false")
    tree.press("ArrowRight")
    expect(active()).to_have_attribute("aria-expanded", "true")
    page.get_by_role("treeitem", name="row group 1").wait_for()
    tree.press("ArrowRight")
    expect(active()).to_contain_text("row group 0")
    tree.press("ArrowLeft")
    expect(active()).to_contain_text("row groups")
    tree.press("ArrowLeft")
    expect(active()).to_have_attribute("aria-expanded", "false")
    tree.press("End")
    orders_view.shown("footer_magic")


def test_an_answer_that_comes_between_two_keys_does_not_move_the_outline_back(orders_view):
    """The answer for the node before took the cursor back, so that the next arrow led to the wrong node."""
    orders_view.page.evaluate(
        """() => {
          const tree = document.querySelector('[role=tree]');
          const down = () => tree.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
          const receive = window.pqxBridge.receive;
          window.pqxBridge.receive = (m) => {
            const between = m.content?.result?.address === 'magic';
            if (between) down();
            receive(m);
            if (between) setTimeout(down, 50);
          };
          down();
        }"""
    )
    orders_view.shown("row_groups")


def test_escape_goes_up_to_the_file_and_no_further(show, orders_bytes):
    view = show(orders_bytes, at="row_groups/0/columns/0")
    page = view.page
    page.evaluate("window.escapes = 0; document.addEventListener('keydown', () => window.escapes++)")
    page.get_by_role("tree").focus()
    for address in ("row_groups/0", "row_groups", ""):
        page.keyboard.press("Escape")
        view.shown(address)
    assert page.evaluate("window.escapes") == 0
    page.keyboard.press("Escape")
    assert page.evaluate("window.escapes") == 1  # at the top the key is the notebook's


def test_keys_outside_of_the_explorer_are_not_handled(orders_view):
    page = orders_view.page
    page.evaluate(
        """() => { const i = document.createElement('input'); i.id = 'other'; document.body.append(i); i.focus();
             window.prevented = 0;
             i.addEventListener('keydown', (e) => setTimeout(() => { window.prevented += e.defaultPrevented; })); }"""
    )
    for key in ("ArrowDown", "Escape", "+", "Enter", "Home"):
        page.locator("#other").press(key)
    assert page.evaluate("window.prevented") == 0
    assert orders_view.explorer.selection == ""


def test_arrows_move_in_the_rows_and_enter_follows(show, orders_bytes):
    view = show(orders_bytes, view="rows")
    page = view.page
    grid = page.get_by_role("grid", name="Rows of the file")
    expect(grid).to_contain_text("Lima")
    grid.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        grid.press(key)
    view.shown("row_groups/0/columns/1/pages/1/values/1")


def test_a_selection_is_announced(orders_view):
    orders_view.go("row_groups/0/columns/1")
    expect(orders_view.page.locator(".pqx > [aria-live=polite]")).to_contain_text("city, column chunk")

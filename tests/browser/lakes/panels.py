"""Going to a panel of the lake explorer."""


def panel(view, name, title):
    view.page.get_by_role("tab", name=title).click()
    view.page.locator(f'.pqx-lake[data-shown^="{name}"]').wait_for()

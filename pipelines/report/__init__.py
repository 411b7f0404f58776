"""The site: the warehouse as static pages for people who would rather look than type SQL."""
